import { pemOf } from '../access/pem-source.ts'
import type { ClusterAccess, ExecPlugin } from '../access/cluster-access.ts'
import { type Credential, CredentialError, type CredentialSource } from './source.ts'
import { type ExecAnswer, readExecAnswer } from './exec-answer.ts'
import type { SystemContext } from '../time/system-context.ts'
import type { Environment } from '../access/proxy-environment.ts'
import type { PluginResult, RunPlugin } from './run-plugin.ts'

export interface ExecOptions {
  readonly environment: Environment
  readonly context: Pick<SystemContext, 'now' | 'readText'>
  /** Is there a user at the terminal whom a plugin may prompt? */
  readonly interactive: boolean
  readonly run: RunPlugin
}

const DEADLINE_MS = 60_000
/** People have to find their browser, or their key. */
const INTERACTIVE_DEADLINE_MS = 300_000

/** Credentials that a program gives, kept until they expire or the server refuses them. */
export class ExecCredential implements CredentialSource {
  readonly #plugin: ExecPlugin
  readonly #access: ClusterAccess
  readonly #options: ExecOptions
  #kept: ExecAnswer | undefined
  /** The one run that all wait for. */
  #running: Promise<ExecAnswer> | undefined

  constructor(plugin: ExecPlugin, access: ClusterAccess, options: ExecOptions) {
    this.#plugin = plugin
    this.#access = access
    this.#options = options
  }

  async current(signal: AbortSignal): Promise<Credential> {
    const kept = this.#kept
    if (kept !== undefined && this.#options.context.now() < kept.expiresAt) return kept.credential
    this.#running ??= this.#renew().finally(() => (this.#running = undefined))
    return (await unlessAborted(this.#running, signal)).credential
  }

  refused(credential: Credential): boolean {
    // Requests that were sent with the same credential are refused together; the plugin runs once for them.
    if (this.#kept?.credential === credential) this.#kept = undefined
    return true
  }

  async #renew(): Promise<ExecAnswer> {
    const { environment, run } = this.#options
    const interactive = this.#interactive()
    const result = await run({
      command: this.#plugin.command,
      args: this.#plugin.args,
      environment: {
        ...environment,
        ...Object.fromEntries(this.#plugin.env.map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(this.#info(interactive)),
      },
      interactive,
      deadlineMs: interactive ? INTERACTIVE_DEADLINE_MS : DEADLINE_MS,
    })
    this.#kept = readExecAnswer(this.#output(result), this.#plugin)
    return this.#kept
  }

  #interactive(): boolean {
    const { interactiveMode, command } = this.#plugin
    if (interactiveMode === 'Always' && !this.#options.interactive)
      throw new CredentialError(
        'plugin-interactive',
        `the exec plugin ${command} wants to ask someone (interactiveMode: Always), and nobody is there`,
      )
    return interactiveMode !== 'Never' && this.#options.interactive
  }

  #output(result: PluginResult): string {
    if (result.outcome === 'exited' && result.code === 0) return result.stdout
    const { command, installHint } = this.#plugin
    if (result.outcome === 'exited') {
      const complaint = result.complaint === '' ? '' : `: ${result.complaint}`
      throw new CredentialError(
        'plugin-failed',
        `the exec plugin ${command} ended with code ${result.code}${complaint}`,
      )
    }
    if (result.outcome === 'timeout')
      throw new CredentialError('plugin-timeout', `the exec plugin ${command} did not end in time`)
    throw new CredentialError(
      'plugin-missing',
      `the exec plugin ${command} cannot be run (${result.reason || 'unknown error'})`,
      installHint === '' ? {} : { advice: installHint },
    )
  }

  /** The ExecCredential that the plugin finds in its environment. */
  #info(interactive: boolean): unknown {
    const { apiVersion, provideClusterInfo, clusterConfig } = this.#plugin
    const { server, tlsServerName, insecureSkipTlsVerify, authority, proxyUrl } = this.#access
    const pem = authority === undefined ? undefined : pemOf(authority, (file) => this.#read(file))
    const cluster = {
      server,
      ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
      ...(insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
      ...(pem === undefined ? {} : { 'certificate-authority-data': Buffer.from(pem).toString('base64') }),
      ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
      config: clusterConfig ?? null,
    }
    return { apiVersion, kind: 'ExecCredential', spec: { ...(provideClusterInfo ? { cluster } : {}), interactive } }
  }

  /** A file that cannot be read is reported when TLS needs it. */
  #read(file: string): string | undefined {
    try {
      return this.#options.context.readText(file)
    } catch {
      return undefined
    }
  }
}

/** The run goes on for the other callers when one that waits for it gives up. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(signal.reason)
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted))
  })
}
