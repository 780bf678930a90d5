/// Documents as they are marked and traced.
extension Chinese {
    static let documents: [String: String] = [
        "it cannot be started": "无法启动",
        "it stopped": "中途停止",
        "it answers something else": "答非所问",
        "it makes no sense": "结果不合理",
        "it draws no picture": "没有画出图片",
        "it draws another size": "画出的大小不符",
        "it gives a reason that is none": "给出的原因无效",
        "a JPEG without a scan": "JPEG 中没有图像数据",
        "a chunk is cut short": "数据块不完整",
        "a PNG without pixels": "PNG 中没有像素",
        "is no picture or document of a kind that is marked": "不是可加水印的图片或文档类型",
        "takes a password to open": "需要密码才能打开",
        "has {} pages, and 200 are marked at most": "有 {} 页，最多给 200 页加水印",
        "is an animation": "是动画",
        "has several pictures": "含有多张图片",
        "takes more than 20 seconds": "超过 20 秒",
        "takes the program qvault-decode, which is not installed": "需要程序 qvault-decode，但没有安装",
        "takes the program pdftoppm, which is not installed": "需要程序 pdftoppm，但没有安装",
        "takes a sandbox, and this kernel has no Landlock or no seccomp": "需要沙箱，而此内核没有 Landlock 或 seccomp",
        "cannot be read: qvault-decode failed ({})": "无法读取：qvault-decode 失败（{}）",
        "page {}: {}": "第 {} 页：{}",
        "the file to write, a PDF of all if it ends with .pdf; or a folder, OUT/; or -":
            "要写的文件，以 .pdf 结尾则合成一个 PDF；或文件夹 OUT/；或 -",
        "'{}/' makes a folder for them, '{}.pdf' one PDF of all": "'{}/' 为它们建文件夹，'{}.pdf' 合成一个 PDF",
        "dots per inch of PDF pages that are no scans, 100 to 400 (200)":
            "非扫描件的 PDF 页面每英寸点数，100 到 400（默认 200）",
        "read PDF, HEIC, WebP and TIFF also where the kernel has no sandbox for it":
            "内核没有沙箱时也读取 PDF、HEIC、WebP 和 TIFF",
        "JPEG, PNG, PDF, HEIC, WebP and TIFF are marked: make one of it first, with ImageMagick's convert for example":
            "可加水印的是 JPEG、PNG、PDF、HEIC、WebP 和 TIFF：请先转成其中一种，例如用 ImageMagick 的 convert",
        "take the password off first: qpdf --decrypt --password=PASSWORD IN OUT":
            "请先去掉密码：qpdf --decrypt --password=PASSWORD IN OUT",
        "take the pages that are wanted: qpdf IN --pages . 1-200 -- OUT":
            "请先取出需要的页：qpdf IN --pages . 1-200 -- OUT",
        "make a PDF of it first: tiff2pdf -o OUT IN": "请先转成 PDF：tiff2pdf -o OUT IN",
        "take one of its pictures first, with webpmux -get frame": "请先取出其中一张，用 webpmux -get frame",
        "install poppler-utils": "请安装 poppler-utils",
        "it is installed beside qvault, or in libexec": "它应与 qvault 同目录，或在 libexec 中",
        "--no-sandbox reads it all the same: a file that attacks the program does then what it wants":
            "--no-sandbox 仍会读取：恶意文件若攻破该程序，便可为所欲为",
        "a smaller --dpi, or print the page into a new PDF first": "请减小 --dpi，或先把该页打印成新的 PDF",
        "pages drawn anew at {} dots per inch: {} of {}; no text is in the copy":
            "以每英寸 {} 点重画的页：{}，共 {} 页；副本中没有文字",
        "a name that ends with {}": "请用以 {} 结尾的名称",
        "cannot be read": "无法读取",
        "a mark's focus": "水印的加浓区域",
        "one page (HTML) with a picture marked in several ways, to choose from": "把一张图以几种方式加水印，放在一页 HTML 中供挑选",
        "the page, which is not encrypted": "网页文件，未加密",
        "replace PAGE": "替换 PAGE",
        "each picture has its options below it; the page needs no network, and nothing else is written":
            "每张图下方写着所用选项；网页无需联网，也不写其他文件",
        "watermark try: where to? give -o PAGE": "watermark try：写到哪里？请给 -o PAGE",
        "as asked for": "按所给选项",
        "{} of 100 pixels have no stroke": "每 100 个像素中 {} 个没有笔画",
        "hard to see in {} of 100 places": "每 100 处中 {} 处难以看清",
        "These pictures are for looking at. 'qvault share' and 'qvault watermark file' make copies to give away.":
            "这些图片仅供查看。要给出去的副本用 'qvault share' 或 'qvault watermark file' 制作。",
        "more ink in this part, in percent from the upper left; 0,0,0,0 for none":
            "此区域墨色更浓，从左上角起的百分比；0,0,0,0 表示没有",
        "--focus takes x, y, width and height in percent, within the picture: 60,10,35,60":
            "--focus 是画面内以百分比表示的 x、y、宽、高：60,10,35,60",
        "watermark: --focus goes with the dense layout": "watermark：--focus 用于密集布局",
        "a picture or PDF: smaller, cut, a screenshot, a photo; without a name it is compared with all that was shared":
            "图片或 PDF：缩小的、裁剪的、截屏、翻拍；不给名称则与所有分享过的比较",
        "warning: what is noted of copy {} is malformed: it is left out": "警告：副本 {} 的记录格式有误：已略过",
        "--corners goes with a JPEG or PNG: make one of {} first": "--corners 用于 JPEG 或 PNG：请先把 {} 转成其中一种",
        "JPEG, PNG, PDF, HEIC, WebP, TIFF; JPEG, PNG and scans stay as they are but for strokes; GPS and names go":
            "JPEG、PNG、PDF、HEIC、WebP、TIFF；JPEG、PNG 和扫描件除笔画外保持原样；去除 GPS 和姓名等信息",
        "marked {} as {}; pages: {}": "已给 {} 加水印，写入 {}；共 {} 页",
        "its sandbox cannot be set up: {}": "无法建立沙箱：{}",
        "its pages are counted in two ways": "页数前后不一致",
    ]
}
