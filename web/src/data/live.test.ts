import { expect, onTestFinished, test, vi } from 'vitest'
import { Live } from './live.ts'
import type { Server } from './server.ts'

/** A server whose streams send what the test says, until they are given up. */
function followed() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let opened = 0
  let send: (text: string) => void = () => undefined
  const open = async (_: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> => {
    opened++
    return new ReadableStream({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text))
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
    })
  }
  const live = new Live(() => undefined)
  const follow = (): void => live.follow({ open } as Pick<Server, 'open'> as Server, 'shop')
  follow()
  onTestFinished(() => live.stop())
  return { live, follow, send: (text: string) => send(text), opened: () => opened }
}

test('a stream that has been silent for 40 seconds is given up and opened again', async () => {
  const { live, send, opened } = followed()
  await vi.advanceTimersByTimeAsync(0)
  send('event: watching\ndata: {"kinds":[{"resource":"events","state":"watched"}]}\n\n')
  for (let beats = 0; beats < 10; beats++) {
    await vi.advanceTimersByTimeAsync(15_000)
    send(': heartbeat\n\n')
  }
  await vi.advanceTimersByTimeAsync(39_999)
  expect([live.state.value.is, opened()]).toEqual(['live', 1])
  await vi.advanceTimersByTimeAsync(1)
  expect(live.state.value).toMatchObject({ is: 'not live', why: 'The dashboard has sent nothing for 40 seconds.' })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(opened()).toBe(2)
})

test('a page that nobody sees holds no stream, and asks again for all when it is seen', async () => {
  const { live, follow, opened } = followed()
  const told: (readonly string[])[] = []
  live.listen((resources) => void told.push(resources))
  await vi.advanceTimersByTimeAsync(0)
  expect([opened(), told]).toEqual([1, []])
  live.rest()
  await vi.advanceTimersByTimeAsync(120_000)
  expect([opened(), live.state.value.is, told]).toEqual([1, 'connecting', []])
  follow()
  follow()
  await vi.advanceTimersByTimeAsync(0)
  expect([opened(), told]).toEqual([2, [[]]])
})
