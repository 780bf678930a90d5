// Amounts as the command gives them, texts with all their places, and as people type them.

import { Decimal } from '../../../Spec/reader/web/page/decimal.js';
import { t } from '../../../Spec/reader/web/page/words.js';

// An amount with commas; what is no number, as it is.
export function amountText(text, places = 2) {
  return Decimal.parse(text)?.shown(places) ?? text ?? '';
}

// The same with the sign of a gain.
export function changeText(text, places = 2) {
  return `${Decimal.parse(text)?.sign > 0 ? '+' : ''}${amountText(text, places)}`;
}

// The text of an input without blanks, commas and full-width digits.
export function typedNumber(input) { return input.value.normalize('NFKC').replace(/[\s,]/g, ''); }

// Throws where an input has no number, or one below a limit, and shows where.
export function requireNumber(input, name, isAllowed = (number) => number.sign >= 0) {
  const number = Decimal.parse(typedNumber(input));
  if (number && isAllowed(number)) return;
  input.setAttribute('aria-invalid', 'true');
  input.focus();
  throw new Error(t('{0}: “{1}” is no amount', name, input.value));
}

// Throws where a folder of this machine is not named as a whole.
export function requireFolder(input) {
  if (input.value.startsWith('/')) return;
  input.setAttribute('aria-invalid', 'true');
  input.focus();
  throw new Error(t('A folder begins with a slash: /media/stick'));
}
