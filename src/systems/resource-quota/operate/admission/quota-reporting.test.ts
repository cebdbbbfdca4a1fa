import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { EventContent } from '../../../../kube/events/event-object.ts'
import { ResourceQuotaReporting, type ResourceQuotaReportingOptions } from './quota-reporting.ts'
import { TrackedResourceQuota } from './tracked-quota.ts'

test('a resource that cannot be listed is reported once, however many limits it counts towards', async () => {
  const hard = { pods: '1', 'requests.cpu': '1', services: '1' }
  const quota = { metadata: { namespace: 'team', name: 'q', uid: 'q' }, spec: { hard } } as unknown as ResourceQuota
  const tracked = new TrackedResourceQuota(quota)
  const targets = ['pods', 'services'].flatMap((resource) => {
    const counted = { problem: new Error('no') }
    return [1, 2].map((part) => ({ part: `${part}`, counted, resource: { resource }, count: {} }))
  })
  tracked.resolution = { targets: targets as never, problems: [] }
  const notes: (string | undefined)[] = []
  const reporting = new ResourceQuotaReporting({
    context: { recorder: { record: ({ note }: EventContent) => void notes.push(note) } },
    ledgers: { ownerOf: () => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: quota.metadata }) },
  } as unknown as ResourceQuotaReportingOptions)
  await reporting.waits(tracked)
  expect(notes).toEqual(['pods cannot be listed: no', 'services cannot be listed: no'])
})
