#!/usr/bin/python3
"""Draws ten documents of nobody whose fields are known: papers.py FOLDER. Beside each picture stands NAME.txt with a field a line.
Three are there as PNGs too, as they were drawn: screen.png, palette.png and fax.png.
Needs python3-pil, python3-numpy and fonts-wqy-microhei."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
BLACK, BLUE, WHITE = (28, 28, 32), (40, 90, 140), (238, 238, 240)


class Paper:
    """A picture, and the fields that are written on it."""

    def __init__(self, name, width, height, ground, grain=2.5):
        self.name, self.fields, self.grain = name, [], grain
        self.image = Image.new("RGB", (width, height), ground)
        self.draw = ImageDraw.Draw(self.image)

    def text(self, x, y, size, *parts, fill=BLACK):
        """Parts one behind the other; those in lists are fields."""
        font = ImageFont.truetype(FONT, size)
        for part in parts:
            words = part[0] if isinstance(part, list) else part
            if isinstance(part, list):
                self.fields.append(words)
            self.draw.text((x, y), words, font=font, fill=fill)
            x += font.getlength(words)
        return self

    def rows(self, x, y, size, step, lines, fill=BLACK):
        for number, parts in enumerate(lines):
            self.text(x, y + step * number, size, *parts, fill=fill)
        return self

    def portrait(self, left, top, width, height, ground, skin, clothes):
        """A head and shoulders in a frame."""
        frame = Image.new("RGB", (width, height), ground)
        draw = ImageDraw.Draw(frame)
        draw.ellipse((width // 2 - 95, height // 8, width // 2 + 95, height // 8 + 240), fill=skin)
        draw.ellipse((width // 12, height * 5 // 8, width * 11 // 12, height * 3 // 2), fill=clothes)
        self.image.paste(frame, (left, top))

    def save(self, folder):
        values = np.asarray(self.image.filter(ImageFilter.GaussianBlur(0.6))).astype(float)
        values += np.random.default_rng(len(self.name)).normal(0, self.grain, values.shape)
        Image.fromarray(np.clip(values, 0, 255).astype(np.uint8)).save(folder / f"{self.name}.jpg", quality=88, dpi=(200, 200))
        (folder / f"{self.name}.txt").write_text("".join(field + "\n" for field in self.fields))


def wave(paper, colour, step):
    """Fine curved lines, as they stand on cards and certificates."""
    width, height = paper.image.size
    for top in range(-height // 4, height, step):
        points = [(x, top + height / 9 * np.sin(x / width * 7 + top / 90)) for x in range(0, width + 20, 20)]
        paper.draw.line(points, fill=colour, width=1)
    return paper


def papers():
    front = wave(Paper("id-front", 1600, 1008, (236, 240, 243)), (205, 219, 228), 13)
    front.portrait(1080, 190, 400, 500, (214, 218, 222), (150, 120, 104), (52, 58, 70))
    front.rows(100, 120, 50, 112, [
        ("姓名  ", ["张样本"]), ("性别  ", ["女"], "    民族  ", ["汉"]), ("出生  ", ["1990"], " 年 ", ["12"], " 月 ", ["28"], " 日"),
        ("住址  ", ["样本省样本市朝阳路 118 号"]), ("      ", ["二单元 1603 室"])])
    front.text(100, 860, 50, "公民身份号码  ", ["110101199012280028"])

    back = wave(Paper("id-back", 1600, 1008, (238, 238, 232)), (222, 208, 200), 15)
    back.text(560, 160, 76, "中华人民共和国").text(610, 300, 84, "居 民 身 份 证")
    back.text(420, 720, 52, "签发机关  ", ["样本市公安局朝阳分局"]).text(420, 840, 52, "有效期限  ", ["2019.03.15-2039.03.15"])

    card = wave(Paper("bank-card", 1600, 1009, (24, 44, 92)), (40, 66, 122), 11)
    card.draw.rounded_rectangle((150, 340, 380, 510), 24, fill=(196, 172, 110))
    card.text(150, 120, 84, ["样本银行"], fill=WHITE).text(150, 590, 92, ["6222 0210 0001 2345 678"], fill=WHITE)
    card.text(150, 780, 48, "有效期 ", ["09/31"], "    ", ["ZHANG YANGBEN"], fill=WHITE).text(1180, 120, 48, "借记卡 UnionPay", fill=WHITE)

    statement = Paper("statement", 1654, 2339, (250, 250, 247))
    statement.text(140, 120, 52, "样本银行  账户交易明细").text(140, 210, 27, "户名 ", ["张样本"], "   账号 ", ["6222021000012345678"])
    for row in range(44):
        y, amount = 290 + 42 * row, f"{(row * 7919 + 1234) % 90000 / 100:,.2f}"
        statement.draw.line((140, y + 38, 1510, y + 38), fill=(190, 190, 195))
        is_field = row % 6 == 0
        cells = [f"2026-{row % 12 + 1:02d}-{row % 28 + 1:02d}", f"31{row * 104729 % 10**8:08d}", ("转账", "消费", "工资", "利息")[row % 4], amount]
        for x, cell, counts in zip((150, 420, 860, 1220), cells, (is_field, is_field, False, is_field)):
            statement.text(x, y, 27, [cell] if counts else cell, fill=(30, 30, 36))

    invoice = Paper("invoice", 1754, 1140, (252, 251, 246))
    invoice.text(560, 60, 56, "样本增值税电子普通发票", fill=(150, 70, 40))
    invoice.rows(1180, 150, 28, 44, [("发票代码: ", ["011002100311"]), ("发票号码: ", ["84213907"]), ("开票日期: ", ["2026年11月25日"])])
    invoice.draw.rectangle((90, 300, 1660, 1060), outline=(150, 70, 40), width=3)
    invoice.rows(120, 320, 30, 50, [
        ("名称: ", ["样本科技有限公司"]), ("纳税人识别号: ", ["91110105MA01ABCD2X"]), ("地址、电话: ", ["朝阳路 118 号 010-65432100"]),
        ("开户行及账号: ", ["样本银行 0200004519000"])])
    for x in (760, 980, 1180, 1400):
        invoice.draw.line((x, 540, x, 880), fill=(150, 70, 40), width=2)
    invoice.rows(120, 560, 30, 64, [(["*信息技术服务*软件维护"],), ("*餐饮服务*餐费",), ("*办公用品*打印纸",)])
    for row, (count, price, tax) in enumerate([("1", "18867.92", "1132.08"), ("3", "426.50", "25.59"), ("20", "21.30", "55.38")]):
        for x, cell in ((800, count), (1010, price), (1430, tax)):
            invoice.text(x, 560 + 64 * row, 30, [cell] if row == 0 and x > 800 else cell)
    invoice.text(120, 920, 34, "价税合计(大写)  ", ["贰万壹仟柒佰捌拾捌圆整"], "   (小写) ", ["¥21788.00"])

    licence = wave(Paper("licence", 2339, 1654, (249, 243, 226)), (238, 222, 190), 17)
    licence.text(960, 190, 110, "营业执照", fill=(170, 40, 30)).text(300, 330, 40, "统一社会信用代码 ", ["91110105MA01ABCD2X"])
    licence.rows(300, 470, 44, 110, [
        ("名    称  ", ["样本科技有限公司"]), ("类    型  ", ["有限责任公司(自然人独资)"]), ("法定代表人  ", ["张样本"]),
        ("注册资本  ", ["伍佰万元整"]), ("成立日期  ", ["2018年06月12日"]), ("住    所  ", ["样本市朝阳路 118 号 1603 室"])])
    licence.draw.ellipse((1600, 1100, 2000, 1500), outline=(210, 40, 40), width=12)
    licence.text(1560, 1270, 52, "样本市市场监督管理局")

    passport = wave(Paper("passport", 1772, 1240, (235, 238, 244)), (206, 214, 232), 12)
    passport.portrait(120, 200, 440, 590, (206, 210, 214), (160, 130, 112), (70, 74, 90))
    passport.rows(640, 180, 40, 92, [
        ("护照号/Passport No. ", ["E12345678"]), ("姓/Surname ", ["ZHANG"]), ("名/Given names ", ["YANGBEN"]),
        ("出生日期/Date of birth ", ["28 DEC 1990"]), ("签发地点/Place ", ["北京/BEIJING"]), ("有效期至/Expiry ", ["14 MAR 2036"])])
    passport.text(110, 1030, 54, ["POCHNZHANG<<YANGBEN<<<<<<<<<<<<<<<<<<<<"]).text(110, 1120, 54, ["E123456784CHN9012286F3603142<<<<<<<<<<"])

    income = Paper("income", 1654, 2339, (253, 253, 252))
    income.text(610, 260, 68, "收入证明")
    income.rows(200, 460, 38, 88, [
        ("兹证明 ", ["张样本"], "(身份证号 ", ["110101199012280028"], ")"), ("自 ", ["2018年06月12日"], " 起在我单位任 ", ["高级工程师"], " 一职,"),
        ("近一年平均月收入(税前)为人民币 ", ["28,640.50"], " 元,"), ("大写: ", ["贰万捌仟陆佰肆拾元伍角"], "。"),
        ("本单位对上述内容的真实性承担责任。",), ("单位名称: ", ["样本科技有限公司"]), ("联系人: ", ["李样例"], "   电话: ", ["010-65432100"]),
        ("日期: ", ["2026年11月20日"])])
    income.draw.ellipse((1000, 1000, 1330, 1330), outline=(205, 45, 45), width=10)

    lease = Paper("lease", 1654, 2339, (251, 250, 246))
    lease.text(420, 190, 58, "RESIDENTIAL LEASE AGREEMENT")
    lease.rows(170, 380, 32, 66, [
        ("This lease is made on ", ["21 October 2026"], " between"), ("Landlord: ", ["Maria Sample-Hoffmann"], ", and"),
        ("Tenant: ", ["Yangben Zhang"], ", passport ", ["E12345678"], "."), ("Premises: ", ["118 Chaoyang Road, Apt 1603"], "."),
        ("The term begins on ", ["1 December 2026"], " and ends on ", ["30 November 2027"], "."),
        ("Rent is ", ["CNY 6,850.00"], " a month, due on the first day of each month,"),
        ("to account ", ["DE89 3704 0044 0532 0130 00"], "."), ("A deposit of ", ["CNY 13,700.00"], " is held until the premises are returned."),
        ("The tenant shall not sublet without the landlord's written consent.",), ("Repairs above ", ["CNY 500"], " are borne by the landlord.",)])
    lease.text(170, 1200, 32, "Signed: ______________________      ______________________")

    screen = Paper("app", 1080, 2340, (246, 247, 249), grain=0)
    screen.draw.rectangle((0, 0, 1080, 300), fill=(198, 40, 40))
    screen.text(60, 120, 52, "社保缴费记录", fill=WHITE).text(60, 210, 40, "张样本  ", ["尾号 0028"], fill=WHITE)
    for row in range(9):
        top = 340 + 215 * row
        screen.draw.rounded_rectangle((40, top, 1040, top + 190), 24, fill=(255, 255, 255))
        month, paid = f"2026年{row + 1:02d}月", f"{2286.4 + 17.31 * row:,.2f}"
        screen.text(80, top + 30, 42, [month] if row % 2 == 0 else month).text(80, top + 105, 34, "样本科技有限公司", fill=(110, 112, 118))
        screen.text(760, top + 60, 46, [paid] if row % 2 == 0 else paid)
    return [front, back, card, statement, invoice, licence, passport, income, lease, screen]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for paper in papers():
        paper.save(folder)
        if paper.name == "app":
            paper.image.save(folder / "screen.png", optimize=True)
            paper.image.quantize(64).save(folder / "palette.png", optimize=True)
        if paper.name == "statement":
            paper.image.convert("1", dither=Image.Dither.NONE).save(folder / "fax.png", optimize=True)


if __name__ == "__main__":
    main()
