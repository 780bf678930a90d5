// Exact decimals (product/portfolio.md, 2): a whole number and how many of its digits are places.

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/;

export class Decimal {
  constructor(digits, places) {
    this.digits = digits;
    this.places = places;
  }

  // The number that a text is; undefined where it is none.
  static parse(text) {
    const match = NUMBER.exec(text ?? '');
    if (!match || text.length > 80) return undefined;
    const [, sign, whole, part = ''] = match;
    return new Decimal(BigInt(sign + whole + part), part.length);
  }

  static zero = new Decimal(0n, 0);

  #at(places) {
    return this.digits * 10n ** BigInt(places - this.places);
  }

  plus(other) {
    const places = Math.max(this.places, other.places);
    return new Decimal(this.#at(places) + other.#at(places), places);
  }

  minus(other) {
    return this.plus(new Decimal(-other.digits, other.places));
  }

  times(other) {
    return new Decimal(this.digits * other.digits, this.places + other.places);
  }

  // The quotient to 12 places, half to even; undefined for a divisor of 0.
  over(other) {
    if (other.digits === 0n) return undefined;
    const places = Math.max(this.places, other.places);
    return new Decimal(quotient(this.#at(places) * 10n ** 12n, other.#at(places)), 12);
  }

  rounded(places) {
    if (places >= this.places) return new Decimal(this.#at(places), places);
    return new Decimal(quotient(this.digits, 10n ** BigInt(this.places - places)), places);
  }

  get sign() {
    return this.digits > 0n ? 1 : this.digits < 0n ? -1 : 0;
  }

  // For drawings alone.
  get number() {
    return Number(this.digits) / 10 ** this.places;
  }

  // With commas between groups of three.
  shown(places) {
    const { digits } = this.rounded(places);
    const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, '0');
    const whole = text.slice(0, text.length - places).replace(/\B(?=(\d{3})+$)/g, ',');
    return (digits < 0n ? '−' : '') + whole + (places > 0 ? `.${text.slice(-places)}` : '');
  }
}

function quotient(a, b) {
  const negative = (a < 0n) !== (b < 0n);
  const [dividend, divisor] = [a < 0n ? -a : a, b < 0n ? -b : b];
  let result = dividend / divisor;
  const rest = 2n * (dividend % divisor);
  if (rest > divisor || (rest === divisor && result % 2n === 1n)) result++;
  return negative ? -result : result;
}
