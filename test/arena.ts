import { ApiClient } from './api-client.ts'
import { customVersion } from './custom-version.ts'
import { eventually } from './eventually.ts'
import { type Allot, startAllot, temporaryDirectory } from './start-allot.ts'

/** A server that is killed and started again on the same directory and port while clients go on. */
export class Arena {
  readonly client: ApiClient
  readonly #dataDir: string
  #allot: Allot
  #restarting: Promise<void> = Promise.resolve()
  #kills = 0

  private constructor(allot: Allot, dataDir: string) {
    this.#allot = allot
    this.#dataDir = dataDir
    this.client = new ApiClient(allot, 80)
  }

  static async open(): Promise<Arena> {
    const dataDir = temporaryDirectory()
    return new Arena(await startAllot({ dataDir }), dataDir)
  }

  get allot(): Allot {
    return this.#allot
  }

  /** How often it was killed. */
  get kills(): number {
    return this.#kills
  }

  /** Resolves when the server is up again; clients that lost a connection wait for this. */
  whenUp(): Promise<void> {
    return this.#restarting
  }

  /** kill -9, then `meanwhile`, then a new process on what is left. */
  async killAndRestart(meanwhile: () => void = () => undefined): Promise<void> {
    const restart = async (): Promise<void> => {
      this.#kills++
      await this.#allot.kill9()
      meanwhile()
      this.#allot = await startAllot({ dataDir: this.#dataDir, port: Number(new URL(this.#allot.url).port) })
    }
    this.#restarting = restart()
    await this.#restarting
  }

  async close(): Promise<void> {
    await this.client.close()
    await this.#allot.kill9()
  }
}

/** Repeats `attempt` until it gives undefined; fails with its last complaint after `patienceMs`. */
export async function untilSettled(attempt: () => Promise<string | undefined>, patienceMs = 10_000): Promise<void> {
  await eventually(attempt, (complaint) => complaint === undefined, { patienceMs })
}

/** Creates an object and fails when that does not succeed. */
export async function mustCreate(client: ApiClient, path: string, object: object): Promise<void> {
  const { code, text } = await client.send('POST', path, object)
  if (code !== 201) throw new Error(`POST ${path}: ${code} ${text}`)
}

/** Defines a namespaced kind and waits until it is served. */
export async function defineKind(client: ApiClient, group: string, plural: string, kind: string): Promise<void> {
  const singular = kind.toLowerCase()
  await mustCreate(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: [customVersion('v1')],
    },
  })
  await untilSettled(async () => {
    const { code } = await client.send('GET', `/apis/${group}/v1/${plural}`)
    return code === 200 ? undefined : `${plural}.${group} is not served: ${code}`
  })
}
