import { afterEach, expect, test, vi } from 'vitest'
import { AnswerError, Server } from './server.ts'
import { Session } from './session.ts'

/** The answers that requests wait for, by token. */
function serverOf(): ReadonlyMap<string, (answer: Response) => void> {
  const waiting = new Map<string, (answer: Response) => void>()
  vi.stubGlobal('fetch', async (_: string, { headers }: { readonly headers: Headers }) => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    waiting.set(headers.get('authorization')?.replace('Bearer ', '') ?? '', resolve)
    return await promise
  })
  return waiting
}

const known = (): Response => Response.json({ warnAt: [80, 95], seesAll: true })
const unknown = (): Response => Response.json({ message: 'unknown' }, { status: 401 })
const UNKNOWN = new AnswerError(401, 'unknown')

afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['is known', known],
  ['is not known', unknown],
])('keeps who signed in last, where an earlier token %s later', async (_, answer) => {
  const waiting = serverOf()
  const session = new Session()
  const first = session.signIn('first')
  const second = session.signIn('second')
  waiting.get('second')?.(known())
  await second
  const { value } = session.viewer
  expect(value).toBeDefined()
  waiting.get('first')?.(answer())
  await first
  expect(session.viewer.value).toBe(value)
  expect([session.problem.value, session.isSigningIn.value]).toEqual(['', false])
})

test('still says that it signs in when an earlier token is refused', async () => {
  const waiting = serverOf()
  const session = new Session()
  const first = session.signIn('first')
  void session.signIn('second')
  waiting.get('first')?.(unknown())
  await first
  expect([session.problem.value, session.isSigningIn.value]).toEqual(['', true])
})

test('signs nobody in who has signed out meanwhile', async () => {
  const waiting = serverOf()
  const session = new Session()
  const signing = session.signIn('first')
  session.signOut()
  expect(session.isSigningIn.value).toBe(false)
  waiting.get('first')?.(known())
  await signing
  expect(session.viewer.value).toBeUndefined()
})

test('signs a viewer out whose token is not known any more, and no other', async () => {
  const waiting = serverOf()
  const session = new Session()
  const signing = session.signIn('first')
  waiting.get('first')?.(known())
  await signing
  session.failed(UNKNOWN, new Server('earlier'))
  expect(session.viewer.value).toBeDefined()
  session.failed(new AnswerError(503, 'busy'), session.viewer.value?.server)
  expect(session.viewer.value).toBeDefined()
  session.failed(UNKNOWN, session.viewer.value?.server)
  expect(session.viewer.value).toBeUndefined()
  expect(session.problem.value).not.toBe('')
})

test('tries a token again that nobody could be asked about, and no token that is unknown', async () => {
  const session = new Session()
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ message: 'not yet' }, { status: 503 })))
  await session.signIn('a.b.c')
  expect([session.problem.value, session.viewer.value]).toEqual(['not yet', undefined])
  vi.stubGlobal('fetch', () => Promise.resolve(known()))
  session.tryAgain.value?.()
  await vi.waitFor(() => expect(session.viewer.value).toBeDefined())
  expect([session.problem.value, session.tryAgain.value]).toEqual(['', undefined])
  vi.stubGlobal('fetch', () => Promise.resolve(unknown()))
  await session.signIn('d')
  expect(session.tryAgain.value).toBeUndefined()
})
