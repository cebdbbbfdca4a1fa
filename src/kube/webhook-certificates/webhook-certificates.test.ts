import { afterEach, describe, expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { alreadyExists, conflict, isNotFound, notFound } from '../../machinery/status.ts'
import { certificatesIn, isIssuedFor, isPair, namesOf } from '../../runtime/certificate/check.ts'
import type { CertificateKeeper } from '../../runtime/certificate/keeper.ts'
import { createLogger, silentLogger } from '../../runtime/process/logger.ts'
import type { KubeClient, ObjectName } from '../client/kube-client.ts'
import type { Secret } from './secret.ts'
import { keepWebhookCertificate } from './webhook-certificates.ts'

const DAY = 86_400_000
const NAME: ObjectName = { namespace: 'allot-system', name: 'allot-webhook-tls' }
const NAMES = ['hooks.allot-system.svc']
const SECRETS = { group: '', resource: 'secrets' }

const open: CertificateKeeper[] = []
afterEach(async () => {
  for (const keeper of open.splice(0)) await keeper.stop()
})

/** One Secret behind compare-and-swap. Every call takes a turn, so that replicas get in between each other. */
class FakeServer {
  secret: Secret | undefined
  writes = 0
  /** Done once, before the next write. */
  meanwhile: (() => void) | undefined
  #version = 0

  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'> = {
    get: async <T extends KubeObject>() => {
      await turn()
      return this.#found() as KubeObject as T
    },
    create: async <T extends KubeObject>(_: unknown, object: T) => {
      await this.#before()
      if (this.secret !== undefined) throw alreadyExists(SECRETS, NAME.name)
      return this.#store(object) as KubeObject as T
    },
    update: async <T extends KubeObject>(_: unknown, object: T) => {
      await this.#before()
      if (this.#found().metadata.resourceVersion !== object.metadata.resourceVersion) throw conflict(SECRETS, NAME.name)
      return this.#store(object) as KubeObject as T
    },
  }

  /** The texts in the Secret. */
  text(key: string): string {
    return Buffer.from(this.secret?.data?.[key] ?? '', 'base64').toString()
  }

  /** Someone else changes it. */
  edit(data: Readonly<Record<string, string>>, more: Partial<Secret> = {}): void {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const)
    const old = this.secret ?? { apiVersion: 'v1', kind: 'Secret', metadata: { ...NAME } }
    this.#store({ ...old, ...more, data: { ...old.data, ...Object.fromEntries(encoded) } })
    this.writes--
  }

  async #before(): Promise<void> {
    await turn()
    this.meanwhile?.()
    this.meanwhile = undefined
  }

  #found(): Secret {
    if (this.secret === undefined) throw notFound(SECRETS, NAME.name)
    return this.secret
  }

  #store(secret: Secret): Secret {
    this.writes++
    this.secret = { ...secret, metadata: { ...secret.metadata, resourceVersion: String(++this.#version) } }
    return this.secret
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

interface Clock {
  now: number
}

async function replica(
  server: FakeServer,
  clock: Clock = { now: Date.now() },
  names = NAMES,
  logger = silentLogger,
): Promise<CertificateKeeper> {
  const keeper = await keepWebhookCertificate(
    {
      client: server.client,
      secret: NAME,
      names,
      context: {
        now: () => clock.now,
        random: () => 0.5,
        // The timer never goes off by itself, and waits after conflicts take no time.
        sleep: (ms, signal) =>
          ms < 10_000
            ? turn()
            : new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
      },
      clockSteps: { subscribe: () => () => undefined },
      logger,
    },
    new AbortController().signal,
  )
  open.push(keeper)
  return keeper
}

function checkGood({ current }: CertificateKeeper, names = NAMES): void {
  expect(isPair(current)).toBe(true)
  expect(certificatesIn(current.bundle).some((authority) => isIssuedFor(current.certificate, authority, names))).toBe(
    true,
  )
}

describe('the shared certificate', () => {
  test('is made once, in a Secret of its kind, and used by replicas that start later', async () => {
    const server = new FakeServer()
    const first = await replica(server)
    checkGood(first)
    expect(server.secret).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: { ...NAME, labels: { 'app.kubernetes.io/managed-by': 'allot' } },
    })
    expect(Object.keys(server.secret?.data ?? {}).toSorted()).toEqual([
      'ca.crt',
      'ca.key',
      'retired.crt',
      'tls.crt',
      'tls.key',
    ])
    const second = await replica(server)
    expect(second.current).toEqual(first.current)
    expect(server.writes).toBe(1)
  })

  test('is the same for replicas that start together', async () => {
    const server = new FakeServer()
    const replicas = await Promise.all([1, 2, 3, 4, 5].map(() => replica(server)))
    expect(new Set(replicas.map(({ current }) => current.certificate)).size).toBe(1)
    expect(server.writes).toBe(1)
    for (const one of replicas) checkGood(one)
  })

  test('is renewed by one when its time has come, and picked up by the others', async () => {
    const server = new FakeServer()
    const clock = { now: Date.now() }
    const replicas = await Promise.all([1, 2, 3].map(() => replica(server, clock)))
    const before = replicas[0]!.current
    clock.now += 200 * DAY
    for (const one of replicas) await one.refresh()
    expect(replicas[0]!.current).toEqual(before)
    clock.now += 50 * DAY
    await Promise.all(replicas.map((one) => one.refresh()))
    expect(server.writes).toBe(2)
    expect(replicas[0]!.current.certificate).not.toBe(before.certificate)
    expect(replicas[0]!.current.bundle).toBe(before.bundle)
    for (const one of replicas) expect(one.current).toEqual(replicas[0]!.current)
  })

  test('serves replicas that are reached by different names without end to end replacements', async () => {
    const server = new FakeServer()
    const one = await replica(server, { now: Date.now() }, ['10.0.0.1'])
    const two = await replica(server, { now: Date.now() }, ['10.0.0.2'])
    await one.refresh()
    await two.refresh()
    expect(server.writes).toBe(2)
    expect(namesOf(one.current.certificate).toSorted()).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(two.current).toEqual(one.current)
  })

  test('comes back when the Secret was deleted, emptied or damaged, since API servers trust it, and the log says so', async () => {
    const lines: string[] = []
    const server = new FakeServer()
    const logger = createLogger('debug', { write: (line) => void lines.push(line) })
    const one = await replica(server, { now: Date.now() }, NAMES, logger)
    const before = one.current
    const losses = [
      () => void (server.secret = undefined),
      () => server.edit({ 'tls.crt': '', 'tls.key': '', 'ca.crt': '', 'ca.key': '' }),
      () => server.edit({ 'tls.crt': 'nonsense', 'ca.crt': 'nonsense' }),
    ]
    for (const lose of losses) {
      lose()
      lines.splice(0)
      await one.refresh()
      expect(one.current).toEqual(before)
      expect(server.text('tls.crt')).toBe(before.certificate)
      expect(lines.join('')).toContain(
        'somebody deleted or damaged the certificate of the webhooks: the one that API servers trust is stored again',
      )
      expect((await replica(server)).current).toEqual(before)
    }
  })

  test('is made anew when the Secret was deleted and what is known has expired', async () => {
    const server = new FakeServer()
    const clock = { now: Date.now() }
    const one = await replica(server, clock)
    const before = one.current.certificate
    clock.now += 5000 * DAY
    server.secret = undefined
    await one.refresh()
    expect(server.text('tls.crt')).not.toBe(before)
    expect(isPair(one.current)).toBe(true)
  })

  test('fills a Secret that was made for it empty, whatever its type', async () => {
    const server = new FakeServer()
    server.edit({}, { type: 'Opaque' })
    checkGood(await replica(server))
    expect(server.secret?.type).toBe('Opaque')
  })

  test('never replaces what someone else has put there', async () => {
    const server = new FakeServer()
    server.edit({ 'tls.crt': 'theirs', 'tls.key': 'theirs' })
    await expect(replica(server)).rejects.toMatchObject({ code: 'secret-foreign' })
    expect(server.text('tls.crt')).toBe('theirs')
  })

  test('is read again when someone else was faster, or deleted it', async () => {
    const server = new FakeServer()
    const clock = { now: Date.now() }
    const one = await replica(server, clock)
    clock.now += 300 * DAY
    server.meanwhile = () => server.edit({ note: 'changed' })
    await one.refresh()
    checkGood(one)
    expect(server.text('note')).toBe('changed')
    clock.now += 300 * DAY
    server.meanwhile = () => void (server.secret = undefined)
    await one.refresh()
    checkGood(one)
    expect(server.text('tls.crt')).toBe(one.current.certificate)
  })

  test('stays in use while the API server refuses', async () => {
    const server = new FakeServer()
    const clock = { now: Date.now() }
    const one = await replica(server, clock)
    const before = one.current
    clock.now += 300 * DAY
    server.meanwhile = () => {
      throw notFound({ group: '', resource: 'namespaces' }, NAME.namespace)
    }
    server.secret = undefined
    await expect(one.refresh()).rejects.toSatisfy(isNotFound)
    expect(one.current).toEqual(before)
  })

  test('is announced in the log, but not written into it: issued at first, renewed later', async () => {
    const lines: string[] = []
    const server = new FakeServer()
    const clock = { now: Date.now() }
    const messages = (): readonly string[] =>
      lines.splice(0).map((line) => {
        expect(line).not.toContain('PRIVATE KEY')
        return /"(?:msg|message)":"([^"]*)"/.exec(line)?.[1] ?? line
      })
    const one = await replica(server, clock, NAMES, createLogger('debug', { write: (line) => void lines.push(line) }))
    expect(messages()).toEqual(['the shared certificate of the webhooks was issued'])
    clock.now += 300 * DAY
    await one.refresh()
    expect(messages()).toContain('the shared certificate of the webhooks was renewed')
  })
})

describe('a new authority', () => {
  test('is made known first, signs later, and the old one goes when nothing of it can be in use', async () => {
    const server = new FakeServer()
    const clock = { now: Date.now() }
    const one = await replica(server, clock)
    const old = one.current
    // Its key is lost: it can sign no more.
    server.edit({ 'ca.key': '' })
    await one.refresh()
    expect(one.current.certificate).toBe(old.certificate)
    expect(certificatesIn(one.current.bundle)).toHaveLength(2)
    expect(one.current.bundle).toContain(old.bundle)
    const late = await replica(server, clock)
    expect(late.current).toEqual(one.current)
    clock.now += 20 * 60_000
    await Promise.all([one.refresh(), late.refresh()])
    expect(one.current.certificate).not.toBe(old.certificate)
    expect(late.current).toEqual(one.current)
    checkGood(one)
    const both = one.current.bundle
    expect(both).toContain(old.bundle)
    clock.now += 200 * DAY
    await one.refresh()
    expect(one.current.bundle).toBe(both)
    // The old certificate has expired, wherever it was.
    clock.now += 200 * DAY
    await one.refresh()
    expect(certificatesIn(one.current.bundle)).toHaveLength(1)
    expect(one.current.bundle).not.toContain(old.bundle)
    checkGood(one)
  })

  test('comes by itself when the old one is old, and nothing is ever presented that is not trusted', async () => {
    const server = new FakeServer()
    const clock = { now: Date.now() }
    const one = await replica(server, clock)
    const authorities = new Set<string>()
    let known = one.current.bundle
    for (let day = 0; day < 20 * 365; day += 10) {
      clock.now += 10 * DAY
      await one.refresh()
      // Callers have the bundle of the last time.
      const trusted = certificatesIn(known).filter((authority) =>
        isIssuedFor(one.current.certificate, authority, NAMES),
      )
      expect(trusted, `day ${day}`).not.toHaveLength(0)
      known = one.current.bundle
      for (const authority of certificatesIn(known)) authorities.add(authority)
      expect(certificatesIn(known).length).toBeLessThan(3)
    }
    expect(authorities.size).toBeGreaterThan(2)
  })
})
