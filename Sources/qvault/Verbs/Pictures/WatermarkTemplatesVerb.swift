import VaultFormat
import Watermark

extension Verb {
    static let watermarkTemplates = Verb(
        name: "watermark templates", summary: "the sentences that --template takes, and the purpose of each",
        options: [.json], example: "qvault watermark templates",
        note: "'qvault share --template rental' takes one; --text writes a sentence of one's own"
    ) { arguments in
        let isChinese = Language.current == .chinese
        let cells = MarkTemplate.all.map { template in
            let purpose = template.purpose.map { isChinese ? $0.chinese : $0.english }
            return [
                template.name, template.chineseName, purpose ?? "-",
                template.text(isChinese: isChinese, hasEnd: false).split(separator: "\n").joined(separator: "  "),
            ]
        }
        return try StandardOutput.list(
            zip(MarkTemplate.all, inColumns(cells)), arguments,
            json: { item in
                let template = item.0
                return [
                    "template": template.name, "label_zh": template.chineseName, "purpose": template.purpose?.english,
                    "purpose_zh": template.purpose?.chinese, "text": template.text(isChinese: isChinese, hasEnd: false),
                ]
            }, text: { $0.1 })
    }
}
