import assert from 'node:assert/strict'
import { eventually } from '../eventually.ts'
import type { Allot } from '../start-allot.ts'

export type Amounts = Readonly<Record<string, string>>

/** A namespace with quotas, and what the tests of their behaviour do in it. */
export class LimitedNamespace {
  readonly #allot: Allot
  readonly #name: string

  private constructor(allot: Allot, name: string) {
    this.#allot = allot
    this.#name = name
  }

  static async make(allot: Allot, name: string): Promise<LimitedNamespace> {
    const made = await allot.call('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } })
    assert.equal(made.status, 201, made.text)
    const namespace = new LimitedNamespace(allot, name)
    await namespace.#until('configmaps/kube-root-ca.crt', ({ kind }) => kind === 'ConfigMap')
    return namespace
  }

  /** Creates a quota; its usage is known when its creation is answered, or a moment later. */
  async limit(name: string, hard: Amounts, spec: object = {}): Promise<void> {
    await this.create('resourcequotas', { metadata: { name }, spec: { hard, ...spec } })
    await this.#until(`resourcequotas/${name}`, ({ status }) => status?.used !== undefined)
  }

  /** `resource`: `pods`, or with its group and version `apps/v1/replicasets`. */
  async create(resource: string, body: object): Promise<void> {
    const { status, text } = await this.#allot.call(this.#path(resource), { method: 'POST', body })
    assert.equal(status, 201, text)
  }

  /** The message of a create that a quota must refuse. */
  async refused(resource: string, body: object): Promise<string> {
    const { status, json } = await this.#allot.call(this.#path(resource), { method: 'POST', body })
    assert.deepEqual([status, json.kind, json.reason], [403, 'Status', 'Forbidden'])
    return json.message
  }

  async change(of: string, patch: object): Promise<void> {
    const headers = { 'content-type': 'application/merge-patch+json' }
    const { status, text } = await this.#allot.call(this.#path(of), { method: 'PATCH', body: patch, headers })
    assert.equal(status, 200, text)
  }

  async remove(of: string): Promise<void> {
    const body = { gracePeriodSeconds: 0 }
    const { status, text } = await this.#allot.call(this.#path(of), { method: 'DELETE', body })
    assert.equal(status, 200, text)
  }

  /** Waits until the quota shows this usage (other names may show more); fails with what it shows. */
  async shows(quota: string, used: Amounts): Promise<void> {
    const matches = (actual: Amounts | undefined): boolean =>
      Object.entries(used).every(([name, amount]) => actual?.[name] === amount)
    const last = await this.#until(`resourcequotas/${quota}`, ({ status }) => matches(status?.used))
    assert.deepEqual({ ...last.status?.used, ...used }, last.status?.used)
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  async get(of: string): Promise<any> {
    return (await this.#allot.call(this.#path(of))).json
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  #until(of: string, test: (body: any) => boolean): Promise<any> {
    return eventually(() => this.get(of), test, { what: of })
  }

  #path(of: string): string {
    const parts = of.split('/')
    const grouped = /^v\d/.test(parts[1] ?? '') ? parts.splice(0, 2).join('/') : undefined
    const root = grouped === undefined ? '/api/v1' : `/apis/${grouped}`
    return `${root}/namespaces/${this.#name}/${parts.join('/')}`
  }
}

export const check = {
  /** The quota shows this usage, at once or soon; it may show more names. */
  usage: (namespace: LimitedNamespace, quota: string, used: Amounts): Promise<void> => namespace.shows(quota, used),
}
