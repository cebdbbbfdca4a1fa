import { LEASE_NAME } from '../install/installed-names.ts'
import { EXEMPT_LABEL_NEEDS } from '../install/rbac/operator-needs.ts'
import { EventRecorder } from '../kube/events/event-recorder.ts'
import { LeaderElection, type LeaseTimes } from '../kube/election/leader-election.ts'
import { AdmissionMetrics } from '../runtime/admission/metrics.ts'
import { AdmissionServer } from '../runtime/admission/server.ts'
import type { KeyPair } from '../runtime/certificate/check.ts'
import type { CertificateKeeper } from '../runtime/certificate/keeper.ts'
import { ProbeServer } from '../runtime/probe/server.ts'
import type { Logger } from '../runtime/process/logger.ts'
import { unlessAborted } from '../runtime/tasks/when-aborted.ts'
import { requiredAccess } from './cluster/required-access.ts'
import { ConfigurationKeeper } from './webhook/configuration-keeper.ts'
import { CrdKeeper } from './cluster/crd-keeper.ts'
import { LedgerKeyKeeper } from './cluster/ledger-key.ts'
import { HookProber, PROBE_PATH, probeHooks, type ProbeSample } from './shell/hook-probe.ts'
import { MetricsAccess } from './cluster/metrics-access.ts'
import { MetricsCertificate } from './cluster/metrics-certificate.ts'
import { retryWhileUnavailable } from './shell/retry-while-unavailable.ts'
import { exemptNamespaces } from './webhook/asked/exempt-namespaces.ts'
import type { LedgerSeal } from './cluster/ledger-seal.ts'
import { CompleteRules } from './webhook/complete-rules.ts'
import { ExemptLabels } from './shell/exempt-labels.ts'
import { showOutages } from './shell/outage-metric.ts'
import type { UsageHistory } from '../insight/history/usage-history.ts'
import type { Registry } from '@prometheus-io/client'
import { prepareServer, type ServerPreparation } from './cluster/prepare-server.ts'
import { ReconcileMetrics } from './shell/reconcile-metrics.ts'
import { serverFeatures } from './webhook/server-features.ts'
import { StartedSystems } from './shell/started-systems.ts'
import type { OperatorSystem } from './system.ts'
import type { ServingOptions } from './shell/serving-options.ts'
import { UsageRecorder } from './shell/usage-recorder.ts'
import { showThresholds } from './shell/warning-thresholds.ts'
import { outageText, type ProbeHooks, WebhookRules } from './shell/registered-webhooks.ts'
import { type Callers, openCallers } from './webhook/callers/open.ts'
import { WebhookDoor } from './webhook/key/door.ts'

export interface OperatorOptions extends ServerPreparation, ServingOptions {
  readonly systems: readonly OperatorSystem[]
  readonly registry: Registry
  /** Where the usage of all limits is recorded. */
  readonly history: UsageHistory
  /** Reconcile only while no other replica does. */
  readonly leaderElect: boolean
  readonly leaseTimes: LeaseTimes
  /** Asks the API server whether it calls the webhooks. */
  readonly probe: ProbeSample
}

/** Where a started operator is reached. */
export interface OperatorPorts {
  readonly webhookPort: number
  readonly metricsPort: number
  readonly healthPort: number
}

/** The server of reviews, and its certificate. */
interface Webhooks {
  readonly admission: AdmissionServer
  readonly keeper: CertificateKeeper
  readonly door: WebhookDoor
}

/** The parts of a started operator that lead. */
interface Parts {
  readonly started: StartedSystems
  readonly prober: HookProber
  readonly server: Webhooks
  readonly reconciles: ReconcileMetrics
  readonly labels: ExemptLabels | undefined
  /** Have replicas run in this cluster before? */
  readonly hadLeaders: boolean
}

/** How long probes, and at least reviews, may go on after that. */
const PATIENCE_MS = 5_000

/** The operator of one process: answers reviews, and reconciles while it leads. */
export class Operator {
  readonly #options: OperatorOptions
  readonly #closing = new AsyncDisposableStack()
  readonly #abort = new AbortController()
  #over: Promise<void> = Promise.resolve()
  readonly #rules: WebhookRules
  readonly #probeHooks: ProbeHooks
  #started: StartedSystems | undefined
  #probes: ProbeServer | undefined
  #isReady = false
  #isBehindService = false
  #ownName: string | undefined
  #callers: Callers | undefined
  /** While this process leads. */
  #configurations: ConfigurationKeeper | undefined

  constructor(options: OperatorOptions) {
    this.#options = options
    this.#probeHooks = probeHooks(options.probe.kind)
    this.#rules = new WebhookRules(this.#probeHooks)
  }

  /**
   * Prepares the API server, starts, and resolves when all kinds can be used: CRDs are served, caches are filled and
   * the API server calls the webhooks. Throws StartupError; rejects with the signal's reason when it aborts before.
   */
  async start(stop: AbortSignal): Promise<OperatorPorts> {
    const { client, context, logger, systems, registry, systemNamespace } = this.#options
    const signal = AbortSignal.any([stop, this.#abort.signal])
    const retried = <T>(work: () => Promise<T>): Promise<T> => this.#retryWhileUnavailable(work, signal)
    const probes = await this.#serveProbes()
    await prepareServer(this.#options, retried, signal)
    const ledgerKey = await retried(() => LedgerKeyKeeper.open(this.#options, signal))
    this.#closing.defer(() => ledgerKey.stop())
    const { seal, isFirst } = ledgerKey
    const door = await WebhookDoor.open({ ...this.#options, retried }, signal)
    this.#closing.defer(() => door.stop())
    const recorder = new EventRecorder({
      client,
      clock: context,
      logger,
      component: 'allot',
      instance: this.#options.identity,
    })
    this.#closing.defer(() => recorder.stop())
    const reconciles = new ReconcileMetrics(registry)
    showOutages(registry, this.#rules)
    const shared = {
      client,
      clock: context,
      logger,
      registry,
      recorder,
      webhooks: this.#rules,
      systemNamespace,
      exempt: this.#exempt,
      seal,
      ownName: () => this.#ownName,
    }
    const started = new StartedSystems({
      client,
      clock: context,
      logger,
      metrics: reconciles,
      starts: systems.map((system) => (caches) => system.start({ ...shared, caches })),
    })
    this.#started = started
    this.#closing.defer(() => started.stop())
    await unlessAborted(started.start(), signal)
    this.#record(started)

    const features = await retried(() => serverFeatures(client, signal))
    const labels = features.labelsNamespaces ? undefined : await this.#labelExempt(seal, signal)
    this.#rules.serverOffers(features, labels?.label)
    if (this.#options.callers !== undefined) this.#callers = this.#openCallers(door, signal)
    const server = await this.#serveWebhooks(probes, door, signal)
    // A Service leads only to replicas that are ready, so a replica that waits for it to lead here would wait for ever.
    this.#isBehindService = 'service' in this.#options.address(server.admission.port)
    this.#isReady = this.#isBehindService
    const prober = this.#prober(door, logger.child({ webhookPort: server.admission.port }), this.#callers?.ticket)
    this.#over = this.#lead({ started, prober, server, reconciles, labels, hadLeaders: !isFirst })
    const hash = await this.#whileRunning(prober.answered(signal))
    if (hash !== undefined) this.#rules.proveLive(hash)
    this.#isReady = true
    return { webhookPort: server.admission.port, metricsPort: probes.metricsPort, healthPort: probes.healthPort }
  }

  /** Resolves when the operator has stopped to reconcile; rejects when it broke. */
  get over(): Promise<void> {
    return this.#over
  }

  /** Presents another certificate to readers of the metrics from now on, where they are served over TLS. */
  useMetricsCertificate(certificate: KeyPair): void {
    this.#probes?.useCertificate(certificate)
  }

  /** Stops the controllers and releases the lease; reviews are still answered. */
  async releaseLease(): Promise<void> {
    this.#abort.abort()
    await this.#over.catch(() => undefined)
  }

  /** Releases the lease, lets reviews finish and closes everything. */
  async stop(): Promise<void> {
    await this.releaseLease()
    await this.#closing.disposeAsync()
  }

  /** From the first moment on, so that nobody takes a process for dead that waits for its API server. */
  async #serveProbes(): Promise<ProbeServer> {
    const { client, context, metrics, health, names, registry, logger, systems } = this.#options
    const access = new MetricsAccess(client, context, logger)
    const problems = systems.map(({ name }, at) => [name, () => this.#problemOf(at)] as const)
    const probes = await ProbeServer.listen({
      metrics: {
        ...metrics,
        ...(metrics.secured ? { access: (...asked: Parameters<typeof access.decide>) => access.decide(...asked) } : {}),
      },
      health,
      names,
      registry,
      live: { ping: () => undefined },
      ready: {
        startup: () => (this.#isReady && !this.#abort.signal.aborted ? undefined : 'not ready yet, or stopping'),
        webhooks: () => this.#outage(),
        ...Object.fromEntries(problems),
      },
      logger,
    })
    this.#probes = probes
    this.#closing.defer(() => probes.stop(PATIENCE_MS))
    return probes
  }

  /** Why a client has to look for another replica. A Service that led to no replica would keep the API server from all of them. */
  #outage(): string | undefined {
    const { outage } = this.#rules
    return outage === undefined || this.#isBehindService ? undefined : outageText(outage)
  }

  /** Each replica records the usage for itself, from its caches. */
  #record(started: StartedSystems): void {
    const { context: clock, logger, registry, history, warnAt } = this.#options
    showThresholds(registry, warnAt)
    const recorder = new UsageRecorder({ history, readings: () => started.readings(), clock, logger, registry })
    const stop = new AbortController()
    const recording = recorder.run(stop.signal)
    this.#closing.defer(async () => {
      stop.abort()
      await recording
    })
  }

  #problemOf(at: number): string | undefined {
    return this.#started === undefined ? 'not started yet' : this.#started.problemOf(at)
  }

  #retryWhileUnavailable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { context: clock, logger } = this.#options
    return retryWhileUnavailable(work, { clock, logger, signal })
  }

  #prober(door: WebhookDoor, logger: Logger, ticket: (() => string) | undefined): HookProber {
    const { client, probe: sample, context: clock } = this.#options
    return new HookProber({
      client,
      sample,
      clock,
      logger,
      heard: (username) => (this.#ownName = username),
      unanswered: () => door.keys.suspect(),
      ticket,
    })
  }

  #openCallers(door: WebhookDoor, signal: AbortSignal): Callers {
    const { context: clock, logger, registry } = this.#options
    const callers = openCallers({
      ...this.#options.callers,
      seal: door.keys,
      clock,
      logger,
      registry,
      isProbe: this.#probeHooks.isProbe,
      probe: (ticket, over) => this.#prober(door, logger, ticket).once(AbortSignal.any([over, signal])),
    })
    this.#closing.defer(() => callers.gate.stop())
    return callers
  }

  async #serveWebhooks(probes: ProbeServer, door: WebhookDoor, signal: AbortSignal): Promise<Webhooks> {
    const { webhooks, metrics, names, registry, logger, noticeMs, clientAuthority, expiry, isPeer } = this.#options
    const clients = await clientAuthority?.(signal)
    if (clients !== undefined) this.#closing.defer(() => clients.stop())
    const keeper = await this.#retryWhileUnavailable(() => this.#options.certificate(signal), signal)
    this.#closing.defer(() => keeper.stop())
    expiry.follow('webhooks', () => keeper.current.certificate)
    expiry.follow('webhooks-authority', () => keeper.current.bundle)
    if (clients !== undefined) expiry.follow('webhook-clients-authority', () => clients.current)
    const reviews = new AdmissionMetrics(registry)
    for (const { path } of this.#rules.hooks) if (!path.startsWith(PROBE_PATH)) reviews.webhook(path)
    const admission = await AdmissionServer.listen({
      ...webhooks,
      names,
      certificate: keeper.current,
      webhooks: (path) => {
        const opened = door.opened(path)
        return opened === undefined ? undefined : this.#rules.at(opened)
      },
      metrics: reviews,
      logger,
      onUnanswered: () => door.keys.suspect(),
      ...(this.#callers === undefined ? {} : { callers: this.#callers.gate }),
      ...(isPeer === undefined ? {} : { isPeer }),
      ...(clients === undefined ? {} : { clientAuthority: clients.current }),
    })
    clients?.onChange((authority) => admission.useClientAuthority(authority))
    // An answer that is cut off before this timeout fails the request of an API server.
    const timeoutMs = Math.max(PATIENCE_MS, this.#options.webhookTimeoutSeconds * 1000)
    this.#closing.defer(() => admission.stop({ noticeMs, timeoutMs }))
    const { names: metricsNames } = metrics
    const present = (certificate: KeyPair): void => {
      probes.useCertificate(certificate)
      metrics.presented?.(certificate)
    }
    const shown =
      metricsNames === undefined ? undefined : new MetricsCertificate({ names: metricsNames, present, logger })
    await shown?.follow(keeper.current)
    keeper.onChange((certificate) => {
      admission.useCertificate(certificate)
      void shown?.follow(certificate)
      this.#configurations?.refresh()
    })
    return { admission, keeper, door }
  }

  /** Labels exempt namespaces before rules exclude them, on servers that do not label namespaces by name. */
  async #labelExempt(seal: LedgerSeal, signal: AbortSignal): Promise<ExemptLabels> {
    const { client, context: clock, logger, systemNamespace } = this.#options
    const access = requiredAccess(client, EXEMPT_LABEL_NEEDS, systemNamespace, signal)
    await this.#retryWhileUnavailable(access, signal)
    const labels = new ExemptLabels({ client, clock, logger, seal, exempt: this.#exempt })
    await this.#retryWhileUnavailable(() => labels.set(signal), signal)
    this.#rules.set(labels.hook())
    return labels
  }

  get #exempt(): ReadonlySet<string> {
    const { systemNamespace, address } = this.#options
    // A Service has the same address at every port that is served.
    return exemptNamespaces(systemNamespace, address(0))
  }

  /** Leads whenever no other does, until the operator stops. */
  async #lead({ started, prober, server, reconciles, labels, hadLeaders }: Parts): Promise<void> {
    const { client, context, logger, leaderElect, leaseTimes, identity, systemNamespace, address } = this.#options
    const { webhookTimeoutSeconds: timeoutSeconds } = this.#options
    const { keeper, admission, door } = server
    const term = async (signal: AbortSignal): Promise<void> => {
      const complete = new CompleteRules({ clock: context, logger, pending: () => started.pendingRules() })
      const configurations = new ConfigurationKeeper({
        client,
        clock: context,
        logger,
        systemNamespace,
        hooks: (former) => door.guarded([...this.#rules.hooks, ...former]),
        following: () => this.#rules.following,
        timeoutSeconds,
        address: address(admission.port),
        caBundle: () => keeper.current.bundle,
        rulesState: () => complete.state,
        onWritten: () => this.#rules.doubt(),
      })
      const endKeys = await door.keys.lead({
        isWritten: () => configurations.isWritten,
        refresh: () => configurations.refresh(),
      })
      this.#configurations = configurations
      reconciles.leads(true)
      const end = this.#rules.onChange(() => configurations.refresh())
      const crds = this.#crdKeeper()
      await Promise.all([
        configurations.run(signal),
        crds?.run(signal),
        prober.prove(this.#rules, signal),
        started.lead(signal),
        labels?.run(signal),
      ])
      end()
      endKeys()
      this.#configurations = undefined
      reconciles.leads(false)
    }
    if (!leaderElect) return await term(this.#abort.signal)
    const election = new LeaderElection({
      client,
      clock: context,
      logger,
      lease: { namespace: systemNamespace, name: LEASE_NAME },
      identity,
      times: leaseTimes,
      hadLeaders,
    })
    await election.run(term, this.#abort.signal)
  }

  /** An operator that installs CRDs has to keep them. */
  #crdKeeper(): CrdKeeper | undefined {
    const { client, context, logger, crds, systems } = this.#options
    if (crds !== 'apply') return undefined
    return new CrdKeeper({ client, clock: context, logger, crds: systems.flatMap((system) => system.crds) })
  }

  /** The work, unless the operator breaks before it is done. */
  async #whileRunning<T>(work: Promise<T>): Promise<T> {
    const broken = this.#over.then(() => Promise.reject(new Error('the operator ended while it was starting')))
    return await Promise.race([work, broken])
  }
}
