const KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

/** The errors in a key of a ConfigMap or a Secret (`IsConfigMapKey`). */
export function configKeyProblems(key: string): readonly string[] {
  const problems: string[] = []
  if (key.length > 253) problems.push('must be no more than 253 bytes')
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) problems.push(KEY_RULE)
  if (key === '.') problems.push("must not be '.'")
  else if (key === '..') problems.push("must not be '..'")
  else if (key.startsWith('..')) problems.push("must not start with '..'")
  return problems
}
