import { expect, test } from 'vitest'
import { OpenWatches } from './open-watches.ts'

const sloops = { group: 'harbour.test', version: 'v1', resource: 'sloops' }

test('only the watches of what is not served any more are ended, each as long as it is open', () => {
  const ended: string[] = []
  const open: number[] = [0]
  const watches = new OpenWatches({
    opened: () => void open.push((open.at(-1) ?? 0) + 1),
    closed: () => void open.push((open.at(-1) ?? 0) - 1),
  })
  const close = watches.open(sloops, () => {
    ended.push('first')
    close()
  })
  watches.open({ ...sloops, version: 'v2' }, () => void ended.push('second'))
  watches.endAll({ ...sloops, resource: 'yawls' })
  watches.endAll(sloops)
  watches.endAll(sloops)
  expect(ended).toEqual(['first'])
  expect(open).toEqual([0, 1, 2, 1])
})
