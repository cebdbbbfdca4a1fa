import { expect, test } from 'vitest'
import { app, explained, quota } from '../../../test/insight/explained.ts'
import { manifestText } from '../../cli/migrate/files.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { explanationText } from './explanation-text.ts'

const WANTED = { template: [app('web', { cpu: '400m' })], replicas: 1, pods: [] }

test.each([
  ['claim', { 'requests.cpu': '250m' }, { labels: { 'projectcapsule.dev/pool': 'gold' } }],
  ['increase', { 'requests.cpu': '250m' }, { labels: { 'quota.openmcp.cloud/quota-definition': 'std' } }],
  ['limit-range', { 'limits.memory': '1Gi' }, {}],
] as const)('the manifest of a remedy of type %s is read as it is shown', (type, hard, metadata) => {
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  const explanation = explained({ ...WANTED, quota: quota(hard, used, metadata) })
  const remedy = explanation.remedies.find((one) => one.type === type)
  const lines = explanationText(explanation, (manifest) => manifestText([manifest])).split('\n')
  const start = lines.findIndex((line) => line.includes(remedy?.text ?? 'no remedy')) + 1
  const isNext = (line: string) => !line.startsWith('      ')
  const block = lines.slice(start, start + lines.slice(start).findIndex(isNext))
  expect(remedy?.manifest).toBeDefined()
  expect(readManifests('copied', block.join('\n'), { mayBeNameless: true })).toEqual([remedy?.manifest])
})

test('remedies that make room in all quotas stand apart from those for some of them', () => {
  const both = quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }, { name: 'other' })
  const one = quota({ 'requests.cpu': '900m' }, { 'requests.cpu': '0' })
  const world = { template: [app('web', { cpu: '400m' })], replicas: 3, pods: [] }
  const headings = (quotas: readonly ReturnType<typeof quota>[]) =>
    explanationText(explained({ ...world, quota: one, more: { quotas } }), () => '')
      .split('\n')
      .filter((line) => line.startsWith('Remedies') || line.startsWith('  - '))
      .map((line) => line.split(/[ :]+/).slice(0, 5).join(' '))
  expect(headings([one])[0]).toBe('Remedies')
  expect(headings([one, both])).toEqual([
    'Remedies, each for all causes',
    ' - ask for less',
    ' - run fewer pods',
    'Remedies, each for at least',
    ' - have quota compute',
    ' - have quota other',
  ])
})
