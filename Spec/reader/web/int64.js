// 64-bit arithmetic on pairs of 32-bit halves, for the hot loops of Argon2 and XXH64.

const TWO_32 = 2 ** 32;

// The high half of the product of two unsigned 32-bit numbers. The double a·b is off by less than
// 2^11, so the quotient is off by less than 2^-20 and rounds to the right integer.
export function mulHigh(a, b) {
  const low = Math.imul(a, b) >>> 0;
  return ((a * b - low) / TWO_32 + 0.5) >>> 0;
}
