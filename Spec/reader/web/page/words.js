// The page's words in both languages. English is the key.

const CHINESE = {
  'QuickVault reader': 'QuickVault 阅读器',
  'Opens a vault on this device. Nothing leaves this page: it has no network.': '在本机打开保险库。本页没有网络，内容不会离开这里。',
  'Choose a vault, or drop it here': '选择保险库文件，或拖到这里',
  'Choose another file': '选择其他文件',
  'Check without a key': '不用密钥检查',
  'Password': '密码', 'Recovery key': '恢复密钥', 'Identity': '身份文件',
  'Keyfile (if the vault has one)': '密钥文件（如有）',
  'The four lines of the recovery key': '恢复密钥的四行',
  'Read its QR code from a picture': '从图片读取二维码',
  'No QR code is read in the picture': '图片里没有读到二维码',
  'Identity file': '身份文件', 'Open': '打开', 'Opening …': '正在打开…',
  'Opens with': '打开方式', 'Lock': '锁定', 'Back': '返回',
  'Cards': '卡片', 'Files': '文件', 'Funds': '基金', 'Household': '家庭资产', 'History': '历史', 'Check': '检查',
  'Settings': '设置', 'Search': '搜索', 'title, value, pinyin': '标题、内容、拼音',
  'Nothing is found': '没有找到', 'Nothing is here': '这里没有内容', 'Top': '顶层',
  'more': '更多', 'show': '显示', 'hide': '隐藏', 'copy': '复制', 'copied': '已复制', 'not copied: the browser does not allow it': '没有复制：浏览器不允许', 'download': '下载',
  'Attachments': '附件', 'Versions': '各版本', 'created': '创建于', 'changed': '修改于', 'group': '分组', 'tags': '标签',
  'in the trash': '已删除', 'pinned': '置顶', 'code': '动态口令', 'seconds left': '秒后更换',
  'No preview of this kind: download it': '这种文件不能预览：请下载',
  'shown as text': '按文本显示', 'cut off': '已截断', 'preview': '预览',
  'save {0}': '第 {0} 次保存', 'no longer kept': '已不保留',
  'You see the vault as it was after save {0}, {1}': '正在查看第 {0} 次保存后的样子（{1}）',
  'Back to the newest': '回到最新', 'Look at it': '查看',
  'Fingerprint': '指纹', 'Fingerprint words to compare': '输入要核对的指纹词',
  'These are the words of save {0}': '这是第 {0} 次保存的指纹',
  'No save of this vault has these words': '这个保险库没有这样的指纹',
  'With the key': '用已打开的密钥', 'With an audit key file': '用审计密钥文件', 'Without a key': '不用密钥',
  'Checking …': '正在检查…', 'Nothing was found': '没有发现问题', 'Findings': '发现的问题',
  'Red: where the file is damaged': '红色：损坏的位置',
  'value': '市值', 'cost': '成本', 'profit': '盈亏', 'net value': '净值', 'shares': '份额',
  'no net value': '没有净值', 'Assets': '资产', 'Debts': '负债', 'Net worth': '净资产',
  'Net worth over time': '净资产变化', 'Buckets': '四笔钱',
  'liquid money': '活钱', 'stable money': '稳钱', 'growth': '长钱',
  'not counted, without a rate: {0}': '没有汇率、未计入：{0}', 'not counted: {0}': '未计入：{0}',
  'copies that a merge left, not counted: {0}': '合并留下的副本，未计入：{0}',
  'all': '全部', '1 year': '1 年', '3 months': '3 个月',
  'The vault was closed after five minutes without use': '五分钟未使用，保险库已关闭',
  'Locked': '已锁定', 'Read only': '只读',
  'ok': '完好', 'tampered': '被篡改', 'damaged': '损坏', 'malformed': '格式错误', 'unsupported': '不支持（较新的格式）',
  'repairable': '可修复', 'not-a-vault': '不是保险库', 'wrong-key': '密钥不对', 'invalid': '无效', 'refused': '已拒绝',
  'io': '读取出错',
  'The password, or the key, is not one of this vault': '密码或密钥不属于这个保险库',
  'This file is no vault': '这个文件不是保险库',
  'This browser has no WebCrypto here: open the page from a file or by https': '此浏览器在这里没有 WebCrypto：请从文件或 https 打开本页',
  'file': '文件', 'folder': '文件夹', 'symlink': '符号链接',
  '{0}: {1}': '{0}：{1}',
  'Shares': '外发记录',
  // Failures of the engine: of secrets that people give it, and of a file.
  'no audit key file': '不是审计密钥文件', 'the audit key file is mistyped': '审计密钥文件有错字', 'no identity file': '不是身份文件',
  'the audit key belongs to another vault or epoch': '审计密钥属于别的保险库，或是换钥之前的', 'the keyfile is empty or too long': '密钥文件是空的或太长',
  'the password is empty or too long': '密码为空或太长', 'this save is no longer kept': '这次保存已不保留',
  'a commit record has a wrong SHA-256': '一次提交的校验和不对', 'a newer save may be lost': '可能丢失了更新的保存',
  'bytes stand behind page T': '文件末尾有多余的内容', 'a block of parity is damaged or missing': '一块修复数据损坏或缺失',
};

// Words of closed lists (product/assets.md, 1).
const STORED = {
  liquid: '流动资金', fixed: '固定资产', investment: '投资理财', receivable: '应收款', debt: '负债', stable: '稳钱',
  deposit: '活期', money_fund: '货币基金', term_deposit: '定期存款', bank_product: '银行理财',
  critical_illness: '重疾险', medical: '医疗险', accident: '意外险', life: '寿险',
  active: '有效', lapsed: '脱保', expired: '已终止',
};

let chinese = false;

// Texts of a page that has more than the reader.
export function addWords(table) {
  Object.assign(CHINESE, table);
}

export function setLanguage(language) {
  chinese = language === 'zh';
  document.documentElement.lang = language;
}

export function isChinese() {
  return chinese;
}

// A text of the page in the person's language; {0} and {1} are the values.
export function t(english, ...values) {
  const text = chinese && Object.hasOwn(CHINESE, english) ? CHINESE[english] : english;
  return text.replace(/\{(\d)\}/g, (whole, place) => values[place] ?? whole);
}

// A word of a closed list as a vault stores it, in the person's language; others as they are.
export function word(stored) {
  return chinese && Object.hasOwn(STORED, stored) ? STORED[stored] : stored;
}

// One of two labels.
export function label(english, other) {
  return chinese ? other : english;
}

export function timeText(milliseconds) {
  const date = new Date(milliseconds);
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
    + `${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function sizeText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return unit === 0 ? `${size} B` : `${size.toFixed(1)} ${units[unit]}`;
}
