// Settings that are added, changed and removed.

import { button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';

// What a setting may be (product/records.md, 7). A file is stored in a terminal.
const TYPES = ['text', 'number', 'flag', 'list', 'secret'];

// The reader's part with a button that adds a setting.
export function withSettings(part) {
  return (app) => {
    const whole = part(app);
    if (app.isNewest) whole.querySelector('h2').after(element('p', {}, button(`+ ${t('Add')}`, () => openSetting(app), { id: 'add' })));
    return whole;
  };
}

// The buttons of a setting.
export function settingActions(app, name, setting) {
  const about = (text) => ({ className: 'small', 'aria-label': `${t(text)} ${name}` });
  return [TYPES.includes(setting?.type) && button(t('Change'), () => openSetting(app, name, setting), about('Change')), ' ',
    button(t('Into the trash'), attempt(() => app.change('config rm', [], [name])), about('Into the trash'))];
}

// The form of a setting, or of a new one.
function openSetting(app, name, setting = { type: 'text', value: '' }) {
  const title = field(t('Name, with dots between its parts: mail.signature'), { required: true, value: name ?? '', readOnly: name !== undefined });
  const type = element('select', {}, TYPES.map((one) => element('option', { value: one }, t(one))));
  type.value = setting.type;
  const text = element('textarea', { rows: 3, spellcheck: false, autocomplete: 'off', value: setting.value });
  const flag = element('select', {}, ['true', 'false'].map((one) => element('option', { value: one }, one)));
  if (setting.type === 'flag') flag.value = setting.value;
  const labelled = (label, input) => element('label', {}, element('span', {}, label), input);
  const [textBox, flagBox] = [labelled(t('Value; of a list a line for each'), text), labelled(t('Value'), flag)];
  type.onchange = () => {
    [textBox.hidden, flagBox.hidden] = [type.value === 'flag', type.value !== 'flag'];
    text.classList.toggle('masked', type.value === 'secret');
  };
  type.onchange();
  let before = setting;
  openDialog(t(name === undefined ? 'Add' : 'Change'), (close) => workForm([
    title.box, labelled(t('Type'), type), textBox, flagBox,
  ], t('Save'), async () => {
    const typed = title.input.value.trim();
    const now = await stored(app, typed);
    // What another program, or an earlier form, has put there is not written over in silence.
    const isOther = now !== undefined && (name === undefined && before === setting || now.value !== before.value || now.type !== before.type);
    if (isOther) {
      before = now;
      const shown = now.type === 'secret' ? '••••' : now.value;
      throw new Error(t('This setting is there already; save again to write over it: {0}', shown));
    }
    const value = type.value === 'flag' ? flag.value : text.value;
    await app.changed(() => app.server.runOn('config set', [`--type=${type.value}`], new TextEncoder().encode(value), [typed]));
    close();
  }));
}

// The setting with a name as it is now; undefined where there is none.
async function stored(app, name) {
  await app.refresh();
  const entry = app.entries.find(({ kind, title }) => kind === KIND.setting && title === name);
  return entry && (await app.client.call('settings', { ids: [entry.id] }))[0][1];
}
