// Amounts as the command gives them: texts with all their places.

import { Decimal } from '../../../Spec/reader/web/page/decimal.js';

// An amount with commas; what is no number, as it is.
export function amountText(text, places = 2) {
  return Decimal.parse(text)?.shown(places) ?? text ?? '';
}

// The same with the sign of a gain.
export function changeText(text, places = 2) {
  return `${Decimal.parse(text)?.sign > 0 ? '+' : ''}${amountText(text, places)}`;
}
