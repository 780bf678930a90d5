// Settings that are added, changed and removed.

import { button, element, field } from '../../../Spec/reader/web/page/dom.js';
import { KIND } from '../../../Spec/reader/web/page/kinds-of.js';
import { t } from '../../../Spec/reader/web/page/words.js';
import { attempt, openDialog, workForm } from './dialog.js';

// The types of settings that a form takes (product/records.md, 7): all but files.
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
  const about = (text) => ({ className: 'small', id: `${text} ${name}`, 'aria-label': `${t(text)} ${name}` });
  return [TYPES.includes(setting?.type) && button(t('Change'), () => openSetting(app, name, setting), about('Change')), ' ',
    button(t('Into the trash'), attempt(() => app.change('config rm', [], [name])), about('Into the trash'))];
}

// The form of a setting, or of a new one.
function openSetting(app, name, setting = { type: 'text', value: '' }) {
  const title = field(t('Name, with dots between its parts: mail.signature'), { required: true, value: name ?? '', readOnly: name !== undefined });
  const type = element('select', {}, TYPES.map((one) => element('option', { value: one }, t(one))));
  type.value = setting.type;
  const text = element('textarea', { rows: 3, spellcheck: false, autocomplete: 'off', value: setting.value });
  const flag = element('select', {}, [['', ''], ['true', t('yes')], ['false', t('no')]].map(([value, name]) => element('option', { value }, name)));
  if (setting.type === 'flag') flag.value = setting.value;
  // As the browser keeps it: another form of line breaks is no change.
  const kept = text.value;
  const show = button(t('show'), () => {
    const isHidden = text.classList.toggle('masked');
    show.textContent = t(isHidden ? 'show' : 'hide');
  }, { className: 'small', 'aria-label': `${t('show')} ${t('Value')}` });
  const labelled = (label, input) => element('label', {}, element('span', {}, label), input);
  const [textBox, flagBox] = [element('div', { className: 'beside' }, labelled(t('Value; of a list a line for each'), text), show), labelled(t('Value'), flag)];
  type.onchange = () => {
    [textBox.hidden, flagBox.hidden] = [type.value === 'flag', type.value !== 'flag'];
    // A stored secret is shown only when somebody asks for it, also where its type is changed.
    show.hidden = type.value !== 'secret' && setting.type !== 'secret';
    text.classList.toggle('masked', !show.hidden);
    show.textContent = t('show');
  };
  type.onchange();
  const given = () => (type.value === 'flag' ? flag.value : text.value);
  // Settings by name, as this form knows them: one that is another by now is not written over in silence.
  const known = new Map(name === undefined ? [] : [[name, setting]]);
  openDialog(t(name === undefined ? 'Add' : 'Change'), (close) => workForm([
    title.box, labelled(t('Type'), type), textBox, flagBox,
  ], t('Save'), async () => {
    const typed = title.input.value.trim();
    const isSame = name !== undefined && type.value === setting.type && given() === (type.value === 'flag' ? setting.value : kept);
    if (isSame) {
      close();
      return;
    }
    const now = await stored(app, typed);
    const before = known.get(typed);
    known.set(typed, now);
    if (now?.value !== before?.value || now?.type !== before?.type) throw new Error(overwriting(now, name !== undefined));
    // The command takes the last line feed away.
    await app.changed(() => app.server.runOn('config set', [`--type=${type.value}`], new TextEncoder().encode(`${given()}\n`), [typed]));
    close();
  }));
}

function overwriting(now, isChanged) {
  if (now === undefined) return t('This setting is gone: another program has taken it away. Save again to add it');
  const shown = now.type === 'secret' ? '••••' : `“${now.value}”`;
  return isChanged ? t('Somebody else has changed this meanwhile; save again to write over it: {0}', shown)
    : t('This setting is there already; save again to write over it: {0}', shown);
}

// The setting with a name as it is now; undefined where there is none.
async function stored(app, name) {
  await app.refresh();
  const entry = app.entries.find(({ kind, title }) => kind === KIND.setting && title === name);
  return entry && (await app.client.call('settings', { ids: [entry.id] }))[0][1];
}
