// X25519 (RFC 7748, 5). In BigInt, since not every WebCrypto has it; not constant in time, which
// matters only to somebody who can time this very process.

const P = 2n ** 255n - 19n;
const A24 = 121665n;

function mod(value) {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

function power(base, exponent) {
  let result = 1n;
  for (let bits = exponent, square = base; bits > 0n; bits >>= 1n) {
    if (bits & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

function fromLittleEndian(bytes) {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function toLittleEndian(value) {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

function clamp(secret) {
  const scalar = Uint8Array.from(secret);
  scalar[0] &= 248;
  scalar[31] = (scalar[31] & 127) | 64;
  return fromLittleEndian(scalar);
}

// One step of the Montgomery ladder: (x2 : z2) is doubled, (x3 : z3) is the sum of both.
function ladderStep(x1, [x2, z2, x3, z3]) {
  const a = x2 + z2;
  const aa = mod(a * a);
  const b = x2 - z2;
  const bb = mod(b * b);
  const e = aa - bb;
  const da = mod((x3 - z3) * a);
  const cb = mod((x3 + z3) * b);
  return [mod(aa * bb), mod(e * (aa + A24 * e)), mod((da + cb) ** 2n), mod(x1 * (da - cb) ** 2n)];
}

export function x25519(secret, publicKey) {
  const scalar = clamp(secret);
  const x1 = mod(fromLittleEndian(publicKey) & (2n ** 255n - 1n));
  let point = [1n, 0n, x1, 1n];
  for (let bit = 254n; bit >= 0n; bit--) {
    const set = (scalar >> bit) & 1n;
    if (set) point = [point[2], point[3], point[0], point[1]];
    point = ladderStep(x1, point);
    if (set) point = [point[2], point[3], point[0], point[1]];
  }
  return toLittleEndian(mod(point[0] * power(point[1], P - 2n)));
}

export function publicKeyOf(secret) {
  return x25519(secret, toLittleEndian(9n));
}
