import { rmSync } from 'node:fs'
import { type AdminAccess, writeAdminKubeconfig } from '../../runtime/files/admin-kubeconfig.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { afterRunning } from '../../runtime/time/running-time.ts'

/** So long a start may take before it is explained. */
const PATIENCE_MS = 10_000

/** A webhook that keeps the operator from writing. */
export interface StartObstacle {
  readonly kind: string
  readonly configuration: string
  readonly problem: string
}

export interface LongStartOptions {
  readonly logger: Logger
  readonly access: AdminAccess
  /** Where a kubeconfig is kept while the start takes long. */
  readonly kubeconfig: string
  /** The names of the operator's own webhook configurations: a former process left them, and they answer once the operator runs. */
  readonly own: readonly string[]
  readonly patienceMs?: number
}

/**
 * Explains a start that takes long, and hands out a kubeconfig for mending what it waits for. The kubeconfig that scripts wait
 * for is another one, and is written only when everything is ready.
 */
export class LongStart {
  readonly #options: LongStartOptions
  #obstacle: (() => StartObstacle | undefined) | undefined
  #cancel: () => void = () => undefined
  #reported = ''

  constructor(options: LongStartOptions) {
    this.#options = options
    rmSync(options.kubeconfig, { force: true })
    this.#wait()
  }

  /** From now on the API answers; `obstacle` says which webhook stands in the way. */
  admitted(obstacle: () => StartObstacle | undefined): void {
    this.#obstacle = obstacle
  }

  /** Explains what the start waits for, once for each webhook configuration that stands in its way. */
  report(): void {
    const { logger, access, kubeconfig, own } = this.#options
    if (this.#obstacle === undefined) {
      if (this.#reported !== '') return
      this.#reported = 'control plane'
      return logger.warn({ waitsFor: 'the control plane' }, 'the start takes long')
    }
    const obstacle = this.#obstacle()
    const found = obstacle !== undefined && own.includes(obstacle.configuration) ? undefined : obstacle
    const configuration = found === undefined ? '' : `${found.kind}/${found.configuration}`
    if (this.#reported === `operator ${configuration}`) return
    this.#reported = `operator ${configuration}`
    writeAdminKubeconfig(kubeconfig, access)
    const facts = { waitsFor: 'the operator', url: access.url, kubeconfig }
    if (found === undefined) return logger.warn(facts, 'the start takes long; the API can be reached already')
    const advice = `kubectl --kubeconfig=${kubeconfig} delete ${configuration}, or start with --no-operator and delete it then`
    logger.warn(
      { ...facts, webhookConfiguration: configuration, problem: found.problem, advice },
      'the start takes long: a webhook stands in the way; the API can be reached already',
    )
  }

  /** The start has ended, in one way or the other. */
  over(): void {
    this.#cancel()
    rmSync(this.#options.kubeconfig, { force: true })
  }

  #wait(): void {
    this.#cancel = afterRunning(this.#options.patienceMs ?? PATIENCE_MS, () => {
      this.report()
      this.#wait()
    })
  }
}
