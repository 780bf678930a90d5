// The amounts of what a household owns and owes, all in one form.

import { Decimal } from '../../../Spec/reader/web/page/decimal.js';
import { announce, button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { KIND, withoutCopies } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';

// The reader's part with buttons for the amounts and for a snapshot.
export function withAmounts(part) {
  return (app) => {
    const [list, detail] = part(app);
    if (!app.isNewest) return [list, detail];
    list.prepend(element('p', { className: 'actions' },
      button(t('Update amounts'), attempt(() => updateAmounts(app)), { id: 'amounts' }),
      button(t('Keep today\'s totals'), attempt(() => app.change('snapshot')))));
    return [list, detail];
  };
}

async function updateAmounts(app) {
  const { counted } = withoutCopies(app.entries.filter(({ kind }) => kind === KIND.asset));
  const cards = await app.client.call('cards', { ids: counted.map(({ id }) => id), areCounted: true });
  const rows = cards.map(([id, card]) => {
    const values = new Map(card.fields);
    const { title } = counted.find((entry) => entry.id === id);
    const amount = values.get('amount') ?? '';
    const name = values.get('currency') ? `${title} (${values.get('currency')})` : title;
    return { id, amount, ...field(name, { value: amount, inputMode: 'decimal', className: 'number' }) };
  });
  if (rows.length === 0) {
    announce(t('Nothing is here'));
    return;
  }
  const changed = () => rows.filter(({ input, amount }) => input.value.trim() !== amount);
  openDialog(t('Update amounts'), (close) => workForm(rows.map(({ box }) => box), t('Save all'), async () => {
    const wrong = changed().filter(({ input }) => Decimal.parse(input.value.trim().replaceAll(',', '')) === undefined);
    if (wrong.length > 0) {
      wrong[0].input.focus();
      throw new Error(t('{0}: is no amount', wrong[0].input.value));
    }
    const given = changed().map(({ id, input }) => `${id}=${input.value.trim()}`);
    if (given.length > 0) await app.change('asset update', [], given);
    close();
  }));
}
