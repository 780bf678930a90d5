// A signature of the format names times, phrases and numbers: whoever imports it has their types too.
@_exported public import Values
