import { expect, test } from 'vitest'
import { Quantity } from '../../quantity/quantity.ts'
import { inOrder, type LimitAmounts, limitViolations } from './limit-violations.ts'

const amounts = (list: Readonly<Record<string, string>> = {}): LimitAmounts =>
  inOrder(new Map(Object.entries(list).map(([name, text]) => [name, Quantity.parse(text)])))
type Lists = Readonly<Record<string, string>>
const violations = (
  bounds: { min?: Lists; max?: Lists; ratio?: Lists },
  requests: Lists,
  limits?: Lists | null,
): readonly string[] =>
  limitViolations(
    { min: amounts(bounds.min), max: amounts(bounds.max), ratio: amounts(bounds.ratio) },
    'Container',
    amounts(requests),
    limits === null ? undefined : amounts(limits),
  )

test.each([
  [{ min: { cpu: '1' } }, {}, {}, 'minimum cpu usage per Container is 1.  No request is specified'],
  [{ min: { cpu: '1' } }, { cpu: '999m' }, {}, 'minimum cpu usage per Container is 1, but request is 999m'],
  [{ min: { cpu: '1' } }, { cpu: '1' }, { cpu: '500m' }, 'minimum cpu usage per Container is 1, but limit is 500m'],
  [{ max: { cpu: '1' } }, { cpu: '1' }, {}, 'maximum cpu usage per Container is 1.  No limit is specified'],
  [{ max: { cpu: '1' } }, {}, { cpu: '1001m' }, 'maximum cpu usage per Container is 1, but limit is 1001m'],
  [{ max: { cpu: '1' } }, { cpu: '2' }, { cpu: '1' }, 'maximum cpu usage per Container is 1, but request is 2'],
  [{ max: { storage: '1Gi' } }, {}, null, 'maximum storage usage per Container is 1Gi.  No request is specified'],
  [
    { max: { storage: '1Gi' } },
    { storage: '2Gi' },
    null,
    'maximum storage usage per Container is 1Gi, but request is 2Gi',
  ],
  [
    { ratio: { cpu: '2' } },
    {},
    { cpu: '1' },
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    { ratio: { cpu: '2' } },
    { cpu: '0' },
    { cpu: '1' },
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    { ratio: { cpu: '2' } },
    { cpu: '1' },
    {},
    'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
  ],
  [
    { ratio: { cpu: '2' } },
    { cpu: '1' },
    { cpu: '3' },
    'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
  ],
  [
    { ratio: { cpu: '1500m' } },
    { cpu: '3' },
    { cpu: '5' },
    'cpu max limit to request ratio per Container is 1500m, but provided ratio is 1.666667',
  ],
])('%j against requests %j and limits %j: %s', (bounds, requests, limits, text) => {
  expect(violations(bounds, requests, limits)).toEqual([text])
})

test.each([
  [{ min: { cpu: '1' }, max: { cpu: '2' }, ratio: { cpu: '2' } }, { cpu: '1' }, { cpu: '2' }],
  [{ min: { cpu: '1' } }, { cpu: '1' }, {}],
  [{ max: { storage: '1Gi' } }, { storage: '1Gi' }, null],
  [{ ratio: { memory: '1.5' } }, { memory: '2' }, { memory: '3' }],
])('%j is met by requests %j and limits %j', (bounds, requests, limits) => {
  expect(violations(bounds, requests, limits)).toEqual([])
})

test('all are reported, by bound and then by name', () => {
  const texts = violations({ min: { memory: '1', cpu: '1' }, max: { memory: '1' } }, {}, { memory: '2' })
  expect(texts.map((text) => text.split(' usage')[0])).toEqual(['minimum cpu', 'minimum memory', 'maximum memory'])
})

test('of thousands a hundred are reported, found without looking at the others', () => {
  let looks = 0
  const bounds = new Map(Array.from({ length: 5000 }, (_, n) => [`example.test/x${n}`, Quantity.parse('1')] as const))
  const requests: LimitAmounts = Object.assign(new Map(), { get: () => void looks++ })
  const violations = limitViolations(
    { min: bounds, max: new Map(), ratio: new Map() },
    'Container',
    requests,
    undefined,
  )
  expect([violations.length, looks]).toEqual([100, 100])
})
