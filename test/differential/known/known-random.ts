import { APPLY_PATCH, STRATEGIC_PATCH } from '../scenario.ts'
import { inKinds, type KnownDifference } from './occurrence.ts'

/** Of what only random requests ask. */
export const RANDOM: readonly KnownDifference[] = [
  {
    pattern: /^(?:message: real "Apply failed with \d+ conflicts|details\.causes\[\d+\]\.field: real "\.)/,
    when: ({ type, path }) => type === APPLY_PATCH && /\/s\d+-[ab]\?/.test(path),
    reason: 'some conflicts were reported with the path of another field',
    since: '1.21',
  },
  {
    pattern: /^code: real 422, allot 200 .*\[real: Gadget\..*Invalid value: "null": .* in body must be of type/,
    reason: 'what nobody applies any more is taken away as a whole',
    since: '1.21',
  },
  {
    pattern: /managedFields\[\d+\]\.fieldsV1\.f:spec\.f:strategy\.f:rollingUpdate(?:\..*)?: real \{.*, allot nothing$/,
    when: inKinds('Deployment'),
    reason: 'who owns a map without its members, having lost them to another, is not given them at the next write',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.\w+): real ".*spec\.parts\.count.*", allot ".*spec\.parts\[\d+\]\.count/,
    when: ({ path }) => path.includes('/gadgets'),
    reason: 'errors in lists tell the place in the list',
    since: '1.23',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real ".*cannot convert int64 to v1\.SecretType.*", allot ".*cannot convert int64 to string/,
    when: ({ type }) => type === STRATEGIC_PATCH,
    reason: 'the schemas do not tell what Go calls a type of texts',
    since: 'allot',
  },
  {
    pattern: /^code: real 422, allot 200 .*[dD]ata: Forbidden: field is immutable when `immutable` is set\]$/,
    when: ({ path }) => /\/s\d+-[ab]/.test(path),
    reason: 'a map without members is none',
    since: 'allot',
  },
  {
    pattern:
      /^(?:message|details\.causes): real .*Forbidden: field is immutable when `immutable` is set.*, allot (?!.*`immutable`)/,
    when: ({ path }) => /\/(?:secrets|configmaps)\/s\d+-[ab]/.test(path),
    reason: 'a map without members is none, also beside another mistake',
    since: 'allot',
  },
  {
    pattern:
      /^details\.causes\[\d+\]\.(?:field: real "(?:metadata|rules)\S*", allot "(?:metadata|rules)\S*"$|(?:message|reason): real ")/,
    when: ({ path }) => /\/roles\/s\d+-[ab]/.test(path),
    reason: 'mistakes in metadata are reported before those in the rules',
    since: 'allot',
  },
  {
    pattern: /^(?:message|details\.causes\[\d+\]\.field): real ".*spec\.ports\[\d+\]\.name/,
    when: ({ type, path }) => type === APPLY_PATCH && /\/services\/s\d+-[ab]/.test(path),
    reason: 'the elements of an applied list come in another order',
    since: '1.31',
  },
]
