// One-time codes: RFC 6238 and 4226, and those of Steam, by WebCrypto.

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEAM = '23456789BCDFGHJKMNPQRTVWXY';
const HASHES = { SHA1: 'SHA-1', SHA256: 'SHA-256', SHA512: 'SHA-512' };

function secretBytes(text) {
  const digits = text.toUpperCase().replace(/[\s=-]/g, '');
  const bytes = [];
  let [bits, count] = [0, 0];
  for (const character of digits) {
    const digit = BASE32.indexOf(character);
    if (digit < 0) return undefined;
    [bits, count] = [(bits << 5 | digit) & 0xFFFF, count + 5];
    if (count < 8) continue;
    count -= 8;
    bytes.push(bits >> count & 255);
  }
  return bytes.length > 0 ? Uint8Array.from(bytes) : undefined;
}

// The parameters of the codes of a field `totp`; undefined where it makes none here.
export function codeMaker(value) {
  const plain = { hash: 'SHA-1', digits: 6, period: 30 };
  if (/^steam:\/\//i.test(value)) return made({ ...plain, steam: true, secret: secretBytes(value.slice(8)) });
  if (!/^otpauth:\/\//i.test(value)) return made({ ...plain, secret: secretBytes(value) });
  const parts = new URLSearchParams(value.split('?')[1] ?? '');
  if (!/^otpauth:\/\/totp\//i.test(value)) return undefined;
  return made({
    secret: secretBytes(parts.get('secret') ?? ''),
    hash: HASHES[(parts.get('algorithm') ?? 'SHA1').toUpperCase()],
    digits: wholeNumber(parts.get('digits') ?? '6'),
    period: wholeNumber(parts.get('period') ?? '30'),
    steam: parts.get('encoder') === 'steam',
  });
}

function wholeNumber(text) {
  return /^\d{1,6}$/.test(text) ? Number(text) : NaN;
}

function made(maker) {
  const { secret, hash, digits, period } = maker;
  const sound = secret && hash && digits >= 6 && digits <= 8 && period >= 1 && period <= 86400;
  return sound ? maker : undefined;
}

// The code at a time, in milliseconds since 1970.
export async function codeAt({ secret, hash, digits, period, steam }, time) {
  const counter = new Uint8Array(8);
  new DataView(counter.buffer).setBigUint64(0, BigInt(Math.floor(time / 1000 / period)));
  const algorithm = { name: 'HMAC', hash };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  const tag = new Uint8Array(await crypto.subtle.sign('HMAC', key, counter));
  const at = tag[tag.length - 1] & 15;
  let number = new DataView(tag.buffer).getUint32(at) & 0x7FFFFFFF;
  if (!steam) return String(number % 10 ** digits).padStart(digits, '0');
  let code = '';
  for (let i = 0; i < 5; i++) {
    code += STEAM[number % STEAM.length];
    number = Math.floor(number / STEAM.length);
  }
  return code;
}

// Milliseconds for which the code is still good.
export function timeLeft({ period }, time) {
  return period * 1000 - time % (period * 1000);
}
