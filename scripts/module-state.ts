import type { ParsedModule } from './syntax/parsed-modules.ts'

/** The states of modules that are allowed, by file and name, with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  'apiserver/http/answer/answer.ts warningsOf':
    'warnings go with their exchange; a field of it would cost every request',
  'apiserver/http/watch-event-line.ts lines': 'the line of an event, which never changes, goes with the event',
  'apiserver/openapi/definition-set.ts referencesOf':
    'the types that a definition refers to go with the definition, which never changes',
  'apiserver/resource/custom-versions.ts structuralOf':
    'the compiled form of a schema, which never changes, goes with the schema; versions of a CRD share it',
  'apiserver/workload/job/wall-clock.ts formats':
    'one format for each time zone that exists; making one takes a millisecond',
  'charges/evaluators/evaluator-table.ts QUOTA_EVALUATORS': 'a table that never changes',
  'api/definition/parsed-amounts.ts parsed': 'the amounts of a JSON object, which never changes, go with the object',
  'grants/increases/definitions.ts matcherOf':
    'the compiled selector of a definition, which never changes, goes with the definition',
  'grants/increases/usable-increases.ts errorsUnder':
    'the errors of an increase under some scopes, neither of which ever changes, go with both',
  'grants/pools/claim/claim-memory.ts holdings': 'what follows from a claim, which never changes, goes with the claim',
  'grants/pools/claim/claim-memory.ts uses': 'what follows from a status, which never changes, goes with the status',
  'grants/pools/claim/claim-memory.ts written': 'what was seen of an outcome goes with the outcome',
  'grants/pools/ledger/ledger-sums.ts bytesOf': 'the size of entries, which never change, goes with the entries',
  'grants/pools/ledger/ledger-sums.ts sumOfEntries': 'the sum of entries, which never change, goes with the entries',
  'grants/pools/ledger/ledger-sums.ts totalOfLedger': 'the sum of a ledger, which never changes, goes with the ledger',
  'grants/pools/namespace-matcher.ts matcherOf':
    'the compiled selectors of a pool, which never change, go with the selectors',
  'kinds/core/volume/projected-volume.ts valid': 'what was found valid, and never changes, goes with the volume',
  'machinery/selector/compiled-selector.ts compiledSelector':
    'the compiled form of a selector, which never changes, goes with the selector',
  'operator/shell/keep-fields.ts known':
    'views of the same fields share one function, by which watches share what they keep',
  'runtime/certificate/reflect-metadata.ts kept': 'stands in for a package that keeps its metadata so',
  'runtime/http/listen-address.ts LOOPBACK': 'a list that is filled when the module is loaded and never changes',
  'runtime/time/timestamp.ts last':
    'the text of a second does not depend on who asks, and a busy server asks all the time',
  'schema/apply/field/merge-shape.ts preserving': 'the shape of a type, which never changes, goes with the type',
  'schema/apply/field/merge-shape.ts shapes': 'the shape of a type, which never changes, goes with the type',
  'schema/apply/zero-object.ts zeroObject': 'the empty object of a type, which never changes, goes with the type',
  'schema/structural/defaults/apply-defaults.ts NONE': 'a budget of nothing, which cannot be spent',
  'schema/structural/value/enumeration.ts knownKeyOf':
    'the key of a listed value, which never changes, goes with the value',
  'schema/structural/value/pattern.ts kept': 'compiled patterns, which follow from their text; bounded by their states',
  'schema/structural/value/pattern.ts statesKept': 'bounds the compiled patterns',
}

/** Classes whose instances carry no state that anybody changes. */
const STATELESS = new Set([
  'AbortController',
  'DOMException',
  'Error',
  'Failure',
  'RegExp',
  'TextDecoder',
  'TextEncoder',
  'Uint8Array',
  'URL',
  'URLSearchParams',
])
const MUTABLE_ONCE_CHANGED = new Set(['Map', 'Set', 'Array'])
/** Functions whose result remembers what it was asked. */
const REMEMBERING = /^(?:oncePerObject)\b/

const DECLARATION = /^(?:export )?(let|var|const) (\w+)(?:: [^=\n]+(?:=>[^=\n]+)?)? =\s+(\S.*)$/gm

/** Returns the states of modules below `source` without a reason, one line each, and the reasons that nothing needs any more. */
export function moduleStateViolations(modules: readonly ParsedModule[], reasons = REASONS): readonly string[] {
  const found = modules.flatMap(({ path, text }) => statesOf(text).map((name) => `${path} ${name}`))
  const states = new Set(found)
  return [
    ...found
      .filter((state) => !Object.hasOwn(reasons, state))
      .map(
        (state) =>
          `src/${state}: a module keeps no state; give it to an object, or say why it may (scripts/module-state.ts)`,
      ),
    ...Object.keys(reasons)
      .filter((state) => !states.has(state))
      .map((state) => `scripts/module-state.ts: ${state} keeps no state any more, so its reason goes`),
  ]
}

/** The names of a module's own variables that hold what can change. Relies on the format: they begin at the margin. */
export function statesOf(text: string): readonly string[] {
  return [...text.matchAll(DECLARATION)].flatMap(([, keyword = '', name = '', value = '']) =>
    keyword !== 'const' || holdsState(text, name, value) ? [name] : [],
  )
}

function holdsState(text: string, name: string, value: string): boolean {
  if (REMEMBERING.test(value)) return true
  const made = /^new (\w+)/.exec(value)?.[1]
  if (made !== undefined && !MUTABLE_ONCE_CHANGED.has(made)) return !STATELESS.has(made)
  if (/^\/.*\/[a-z]*[gy][a-z]*$/.test(value)) return new RegExp(`\\b${name}\\.(?:exec|test|lastIndex)\\b`).test(text)
  return isChanged(text, name)
}

const METHODS = 'add|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift'

function isChanged(text: string, name: string): boolean {
  const part = String.raw`(?:\??\.\w+|\[[^\]\n]*\]!?)`
  return [
    String.raw`(?<![\w.#])${name}${part}*\.(?:${METHODS})\(`,
    String.raw`(?<![\w.#])${name}${part}+ (?:[-+*/%&|^]|\*\*|\?\?|\|\||&&|<<|>>>?)?=(?![=>])`,
    String.raw`(?<![\w.#])${name}${part}+(?:\+\+|--)|(?:\+\+|--)${name}${part}`,
    String.raw`\bdelete ${name}${part}`,
    String.raw`\bObject\.assign\(${name}\b`,
  ].some((pattern) => new RegExp(pattern).test(text))
}
