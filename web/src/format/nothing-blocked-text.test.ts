import { expect, test } from 'vitest'
import { nothingBlockedText } from './nothing-blocked-text.ts'

const refused = (...resources: readonly string[]) =>
  resources.map((resource) => ({ resource, reason: 'you may not list them' }))

test('says what was seen where only kinds beside those of Kubernetes were not', () => {
  expect(nothingBlockedText(refused('events'))).toBe('No workload is blocked.')
  expect(nothingBlockedText(refused('events', 'wholequotas.shop.example.com'))).toBe(
    'No workload is blocked by what you may see. You may not list wholequotas.shop.example.com.',
  )
})

test.each(['pods', 'deployments.apps', 'resourceclaims.resource.k8s.io'])(
  'knows nothing where %s were not seen',
  (kind) => {
    expect(nothingBlockedText(refused(kind, 'wholequotas.shop.example.com'))).toBe(
      `Unknown: you may not list ${kind} and wholequotas.shop.example.com.`,
    )
  },
)

test('knows nothing where the API server does not give a kind that the viewer may list', () => {
  const notSeen = [{ resource: 'wholequotas.shop.example.com', reason: 'it is busy' }]
  expect(nothingBlockedText(notSeen)).toBe('Unknown: the API server does not give wholequotas.shop.example.com.')
})
