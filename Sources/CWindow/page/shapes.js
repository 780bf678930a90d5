// The kinds of cards as the command lists them: which fields a form has, and which must be filled.

import { label } from '../../../Spec/reader/web/page/words.js';

// Kinds by name, in the order of the command.
export function readShapes(lines) {
  return new Map(lines.map((kind) => [kind.kind, kind]));
}

export function shapeLabel(shape) { return label(shape.label, shape.label_zh); }
