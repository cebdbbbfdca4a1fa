import { expect, test, vi } from 'vitest'
import { coalesced } from './coalesced.ts'

test('what costs little is done at once, and what costs much once for all calls meanwhile', () => {
  vi.useFakeTimers()
  try {
    const done: string[] = []
    const call = coalesced(
      (key) => done.push(key),
      (key) => (key === 'large' ? 20 : 0),
    )
    call('small')
    call('large')
    call('large')
    call('small')
    expect(done).toEqual(['small', 'small'])
    vi.advanceTimersByTime(20)
    expect(done).toEqual(['small', 'small', 'large'])
    call('large')
    vi.advanceTimersByTime(20)
    expect(done).toEqual(['small', 'small', 'large', 'large'])
  } finally {
    vi.useRealTimers()
  }
})
