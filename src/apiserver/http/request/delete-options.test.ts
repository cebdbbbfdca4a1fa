import { expect, test } from 'vitest'
import { parseDeleteOptions, queriedDeleteOptions } from './delete-options.ts'

const ofQuery = (text: string): ReturnType<typeof parseDeleteOptions> =>
  parseDeleteOptions(queriedDeleteOptions(new URLSearchParams(text)))

test('nothing asked is nothing set', () => {
  expect(parseDeleteOptions({})).toMatchObject({ dryRun: false, keptCode: 200, options: {} })
  expect(ofQuery('')).toMatchObject({ dryRun: false, keptCode: 200, options: {} })
})

test.each([
  [{ gracePeriodSeconds: 0 }, { gracePeriodSeconds: 0 }],
  [{ preconditions: { uid: 'u', resourceVersion: '3' } }, { uid: 'u', resourceVersion: '3' }],
  [{ propagationPolicy: 'Foreground' }, { propagationPolicy: 'Foreground' }],
  [{ orphanDependents: true }, { propagationPolicy: 'Orphan' }],
  [{ orphanDependents: false }, { propagationPolicy: 'Background' }],
])('the body %j is %j', (body, options) => {
  expect(parseDeleteOptions(body).options).toEqual(options)
})

test.each([
  ['gracePeriodSeconds=5', { gracePeriodSeconds: 5 }],
  ['propagationPolicy=Orphan', { propagationPolicy: 'Orphan' }],
  ['orphanDependents=true', { propagationPolicy: 'Orphan' }],
  ['uid=u&resourceVersion=3', { uid: 'u', resourceVersion: '3' }],
])('the query %s is %j', (query, options) => {
  expect(ofQuery(query).options).toEqual(options)
})

test.each([
  [{ orphanDependents: false }, 202],
  [{ orphanDependents: true }, 200],
  [{ propagationPolicy: 'Background' }, 200],
])('with %j what stays is answered with %i', (body, code) => {
  expect(parseDeleteOptions(body).keptCode).toBe(code)
})

test('both may ask for a dry run', () => {
  expect([parseDeleteOptions({ dryRun: ['All'] }).dryRun, ofQuery('dryRun=All').dryRun]).toEqual([true, true])
})

test.each([
  [
    { propagationPolicy: 'Sideways' },
    'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  [
    { propagationPolicy: 'Orphan', orphanDependents: true },
    'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  ],
  [{ dryRun: ['None'] }, 'dryRun: Unsupported value: ["None"]: supported values: "All"'],
])('%j is refused: %s', (body, message) => {
  expect(() => parseDeleteOptions(body)).toThrow(`DeleteOptions.meta.k8s.io "" is invalid: ${message}`)
})

test('a query that holds no number is refused', () => {
  expect(() => ofQuery('gracePeriodSeconds=soon')).toThrow('strconv.ParseInt: parsing "soon": invalid syntax')
})
