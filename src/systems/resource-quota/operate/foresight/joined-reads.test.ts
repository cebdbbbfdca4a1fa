import { expect, test } from 'vitest'
import { JoinedReads } from './joined-reads.ts'

function scripted() {
  const begun: PromiseWithResolvers<string>[] = []
  const reads = new JoinedReads<string>(() => {
    const read = Promise.withResolvers<string>()
    begun.push(read)
    return read.promise
  })
  return { begun, reads }
}
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

test('those who ask during a read get one that begins after it', async () => {
  const { begun, reads } = scripted()
  const first = reads.of('n')
  const [second, third] = [reads.of('n'), reads.of('n')]
  expect(begun).toHaveLength(1)
  begun[0]?.resolve('old')
  expect(await first).toBe('old')
  await turns()
  expect(begun).toHaveLength(2)
  const fourth = reads.of('n')
  begun[1]?.resolve('new')
  expect(await Promise.all([second, third])).toEqual(['new', 'new'])
  await turns()
  expect(begun).toHaveLength(3)
  begun[2]?.resolve('newest')
  expect(await fourth).toBe('newest')
  await turns()
  void reads.of('n')
  expect(begun).toHaveLength(4)
})

test('a read that fails is the failure of those who wait for it, and not of the next', async () => {
  const { begun, reads } = scripted()
  const first = reads.of('n')
  const second = reads.of('n')
  begun[0]?.reject(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await turns()
  begun[1]?.resolve('there')
  expect(await second).toBe('there')
  expect(begun).toHaveLength(2)
})
