/// The places of a picture, and of the code in the strip below it (Spec/product/strip.md, 1): in pixels, as a person sees the copy,
/// from the upper left corner of the picture.
package struct StripGeometry: Equatable, Sendable {
    /// The picture's size.
    package let width, height: Int
    /// The upper left corner of the code's first module, and pixels of a module.
    package let left, top, module: Int

    /// The version of the code, which decides its modules.
    package static let codeVersion: Int32 = 16
    /// Modules of the code across, and with the light ones around it.
    package static let codeModules = QRModules.width(ofVersion: codeVersion)
    static let framedModules = codeModules + 2 * QRModules.margin
    /// Light modules between the text and the edge.
    static let textMargin = 3
    /// The fewest pixels of a module, and the most modules that a picture's width is.
    private static let leastModule = 6, modulesAcross = 270
    /// Modules of text at least, beside the code.
    private static let textModules = 20
    /// Pixels between a picture and its strip are fewer: the rest of a unit of a JPEG's blocks.
    private static let gapLimit = 16

    /// The fewest pixels of a picture across.
    static let leastWidth = (framedModules + textMargin + textModules) * leastModule

    /// Pixels of a module of the strip below a picture.
    private static func module(belowWidth width: Int) -> Int {
        max(leastModule, (width + modulesAcross - 1) / modulesAcross)
    }

    /// Pixels of the strip below a picture, from its upper to its lower edge.
    package static func depth(belowWidth width: Int) -> Int {
        (framedModules * module(belowWidth: width) + 15) / 16 * 16
    }

    /// - Parameter gap: pixels between the picture and the strip.
    init(width: Int, height: Int, gap: Int) {
        (self.width, self.height) = (width, height)
        module = Self.module(belowWidth: width)
        left = width - (Self.framedModules - QRModules.margin) * module
        top = height + gap + QRModules.margin * module
    }

    /// Takes numbers that somebody says: width, height, left, top and module.
    ///
    /// - Returns: nil where no strip has them.
    package init?(_ numbers: [Int]) {
        guard numbers.count == 5, numbers.allSatisfy({ 0...60_000 ~= $0 }), numbers[0] >= Self.leastWidth,
            numbers[1] > 0
        else { return nil }
        let gap = numbers[3] - numbers[1] - QRModules.margin * numbers[4]
        guard 0..<Self.gapLimit ~= gap else { return nil }
        self.init(width: numbers[0], height: numbers[1], gap: gap)
        guard self.numbers == numbers else { return nil }
    }

    /// Width, height, left, top and module.
    package var numbers: [Int] { [width, height, left, top, module] }
}
