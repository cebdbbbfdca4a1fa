import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from '@prometheus-io/client'
import { readQuotaConfiguration } from '../api/resource-quota/resource-quota-configuration.ts'
import { leaseIdentity } from '../kube/election/leader-election.ts'
import { openKubeClient } from '../kube/open-kube-client.ts'
import { Operator, type OperatorPorts } from '../operator/operator.ts'
import { CONFIGURATION_NAMES } from '../install/installed-names.ts'
import { personaRoles, withheldRoles } from '../install/rbac/persona-roles.ts'
import { assertReplaceable, removeStaleKubeconfig, writeAdminKubeconfig } from '../runtime/files/admin-kubeconfig.ts'
import { logClockSteps } from '../runtime/process/clock-log.ts'
import { clockStepsOf } from '../runtime/time/clock-steps.ts'
import { readConfigurationFile } from '../runtime/files/configuration-file.ts'
import { DataDirectory } from '../runtime/files/data-directory.ts'
import { giveBackIdleMemory } from '../runtime/process/idle-memory.ts'
import { assertIdentity, directoryId, openIdentity } from '../runtime/certificate/identity.ts'
import { CertificateExpiry } from '../runtime/certificate/certificate-expiry.ts'
import { showBuild } from '../runtime/process/build-info.ts'
import { IdentityKeeper } from '../runtime/certificate/identity-keeper.ts'
import { isLoopback, localUrl, serverNames } from '../runtime/http/listen-address.ts'
import { listen } from '../runtime/http/listen.ts'
import type { LogLevel } from '../runtime/process/log-level.ts'
import { createLogger } from '../runtime/process/logger.ts'
import { Metrics } from '../runtime/process/metrics.ts'
import { Store } from '../store/store.ts'
import { ReadinessGate } from './readiness-gate.ts'
import type { ControlPlane } from '../apiserver/control-plane.ts'
import { localAccess } from './access/local-access.ts'
import { LongStart } from './long-start.ts'
import { machineNames } from './machine-names.ts'
import type { OperatorFlags } from './operator-flags.ts'
import { operatorOptions } from './operator-options.ts'
import { readOperatorSettings } from './operator-settings.ts'
import { webhookPortNotice } from './webhook-port-notice.ts'
import { packageVersion } from './package-version.ts'
import { readSchema } from './schema-file.ts'
import type { CliSurroundings } from './cli-surroundings.ts'
import type { TenantFlags } from './tenant-flags.ts'
import { UsualPort } from './usual-port.ts'

export interface UpOptions extends OperatorFlags, TenantFlags {
  /** 0 takes a free one. */
  readonly port: number
  readonly host: string
  readonly webhookHost: string
  readonly metricsHost: string
  readonly healthHost: string
  readonly dataDir: string
  readonly inMemory: boolean
  /** Go on with what is left of a store that has lost acknowledged writes. */
  readonly acceptLostWrites: boolean
  readonly kubeconfig?: string
  readonly logLevel: LogLevel
  /** Refusals are worded exactly as Kubernetes does: only the first quota that refuses is reported. */
  readonly firstRefusalOnly: boolean
  /** Run controllers that make pods of workloads, and a node that simulates them. */
  readonly workloads: boolean
  /** Run the operator against the API that is served. */
  readonly operator: boolean
  /** The path of a ResourceQuotaConfiguration. */
  readonly limitedResources?: string
}

/** The disk space that is kept for deletions: more than the write-ahead log of the store takes. */
export const RESERVE_BYTES = 24 * 1024 * 1024
/** As Kubernetes: the largest body that is read. */
const MAX_BODY_BYTES = 3 * 1024 * 1024
/** How long requests may go on after the signal to stop; shorter than the ten seconds after which Docker kills. */
export const DRAIN_MS = 8_000

/** How long the operator may take to release its lease before requests are turned away; part of what Docker gives. */
const RELEASE_LEASE_MS = 1_500

/**
 * Runs the embedded control plane until `stop`, then lets requests finish and closes everything. Prints what runs where
 * only when it is ready, and where its state is when it has ended. Throws StartupError and StoreError when it cannot start,
 * and StoreError when what was acknowledged is not in the data directory at the end.
 */
export async function up(options: UpOptions, surroundings: CliSurroundings): Promise<void> {
  let unkept: unknown
  const directory = await serve(options, surroundings, (error) => (unkept = error))
  if (unkept !== undefined) throw unkept
  const kept = options.inMemory ? 'only certificates and the kubeconfig are kept in' : 'state is kept in'
  surroundings.out(`stopped; ${kept} ${directory}\n`)
}

/** Gives the data directory when everything has ended; `onUnkept` is called when it does not hold every acknowledged write. */
async function serve(
  options: UpOptions,
  { out, stop }: CliSurroundings,
  onUnkept: (error: unknown) => void,
): Promise<string> {
  const { host, inMemory } = options
  const logger = createLogger(options.logLevel)
  const registry = new Registry()
  const clockSteps = clockStepsOf(Date.now)
  const metrics = new Metrics(registry)
  showBuild(registry, packageVersion())
  // Every file that a flag names is read before anything is written.
  const limitedResources =
    options.limitedResources === undefined
      ? []
      : readConfigurationFile(options.limitedResources, '--limited-resources', readQuotaConfiguration).limitedResources
  const settings = options.operator ? await readOperatorSettings(options, { host: options.webhookHost }) : undefined
  const notice = webhookPortNotice(options)
  if (notice !== undefined) logger.warn({}, notice)
  const given = options.kubeconfig === undefined ? undefined : resolve(options.kubeconfig)
  if (given !== undefined) assertReplaceable(given)
  await using closing = new AsyncDisposableStack()
  closing.defer(logClockSteps(clockSteps, logger))

  const directory = DataDirectory.open(options.dataDir)
  closing.defer(() => directory.close())
  const kubeconfig = given ?? directory.file('kubeconfig')
  assertReplaceable(kubeconfig)
  assertIdentity(directory)
  out('starting …\n')
  const loading = Promise.all([
    import('../apiserver/control-plane.ts'),
    options.workloads ? import('../apiserver/workload/workloads.ts') : undefined,
  ])
  // The store comes first: in a directory that is not ours, or damaged, nothing else is to be written.
  const store = await Store.open(inMemory ? { memory: true } : { directory: directory.path }, {
    onCommitted: (writes, seconds) => metrics.storeCommitted(writes, seconds),
    reserve: RESERVE_BYTES,
    acceptLostWrites: options.acceptLostWrites,
    onLost: (lost) =>
      logger.warn({ lost }, 'the store has lost acknowledged writes and goes on without them, as was asked for'),
    onFull: (error) =>
      error === undefined
        ? logger.warn({}, 'the disk of the store has room again')
        : logger.error({ error, advice: error.advice }, 'the disk of the store is full: only deletions are written'),
    onFailed: (error) =>
      logger.error({ error, advice: error.advice }, 'the store failed: nothing can be written any more'),
  })
  closing.defer(() => store.close().catch(onUnkept))
  directory.accept()
  const names = [host, options.metricsHost].flatMap((one) => serverNames(one, machineNames()))
  const identityNames = [...new Set(names)]
  const identity = await openIdentity(directory, identityNames, Date.now())
  const { authority, adminToken } = identity

  const door = new ReadinessGate(logger)
  const server = await listen({
    host,
    port: options.port,
    tls: { key: identity.server.key, cert: identity.server.certificate, clientCa: authority.certificate },
    maxBodyBytes: MAX_BODY_BYTES,
    authenticates: true,
    handle: (exchange) => door.handle(exchange),
    knows: (credential) => door.knows(credential),
    onBadConnection: (error) => logger.debug({ error }, 'a connection was refused'),
  })
  let drained: Promise<void> | undefined
  const drain = (): Promise<void> => (drained ??= server.drain(DRAIN_MS))
  closing.defer(() => {
    door.close()
    return drain()
  })
  const url = localUrl(host, server.port)
  let operator: Operator | undefined
  let plane: Pick<ControlPlane, 'useCaCertificate'> | undefined
  const keeper = new IdentityKeeper(
    {
      directory,
      names: identityNames,
      now: () => Date.now(),
      clockSteps,
      onChange: (renewed, before) => {
        const ca = renewed.authority.certificate
        server.useCertificate({ key: renewed.server.key, cert: renewed.server.certificate, clientCa: ca })
        operator?.useMetricsCertificate(renewed.server)
        if (ca === before.authority.certificate) return
        plane?.useCaCertificate(ca)
        writeAdminKubeconfig(kubeconfig, { url, caCertificate: ca, token: adminToken })
        logger.warn({ kubeconfig }, 'the authority of the API was renewed: clients need the new kubeconfig')
      },
      logger,
    },
    identity,
  )
  closing.defer(() => keeper.stop())
  const expiry = new CertificateExpiry({ registry, logger, now: Date.now, clockSteps })
  closing.defer(() => expiry.stop())
  expiry.follow('api', () => keeper.current.server.certificate)
  expiry.follow('api-authority', () => keeper.current.authority.certificate)
  if (!isLoopback(host)) logger.warn({ host, port: server.port }, 'the API is reachable from outside this machine')

  const [apiserver, workloads] = await loading
  const adminAccess = { url, caCertificate: authority.certificate, token: adminToken }
  removeStaleKubeconfig(kubeconfig, adminAccess)
  const long = new LongStart({
    logger,
    access: adminAccess,
    kubeconfig: directory.file('kubeconfig.starting'),
    own: CONFIGURATION_NAMES,
  })
  closing.defer(() => long.over())
  const started = await apiserver.ControlPlane.start({
    store,
    data: readSchemas(),
    adminToken,
    tokenKey: identity.tokenKey,
    caCertificate: authority.certificate,
    logger,
    metrics,
    surroundings: { now: Date.now, uuid: randomUUID, random: Math.random },
    clockSteps,
    serverAddress: new URL(url).host,
    firstRefusalOnly: options.firstRefusalOnly,
    workloads: workloads?.startWorkloads,
    limitedResources,
    stop,
  })
  plane = started
  // The authority may have been renewed meanwhile.
  started.useCaCertificate(keeper.current.authority.certificate)
  closing.defer(giveBackIdleMemory())
  closing.defer(() => started.stop())
  metrics.collectProcess()

  let ports: OperatorPorts | undefined
  let releaseLease = async (): Promise<void> => undefined
  if (settings !== undefined && !stop.aborted) {
    door.admit(started)
    long.admitted(() => started.obstacle)
    const { systemNamespace, qps, burst } = options
    const access = localAccess({
      url,
      ca: () => keeper.current.authority.certificate,
      token: adminToken,
      systemNamespace,
    })
    for (const [what, address] of [
      ['webhooks', options.webhookHost],
      ['metrics', options.metricsHost],
      ['health', options.healthHost],
    ] as const)
      if (!isLoopback(address))
        logger.warn({ what, host: address }, 'a port of the operator is reachable from outside this machine')
    const { client, close } = openKubeClient({
      access,
      environment: {},
      version: packageVersion(),
      rate: { qps, burst },
    })
    closing.defer(close)
    const usual = new UsualPort(directory)
    const running = new Operator(
      operatorOptions(settings, {
        client,
        logger,
        hosts: {
          webhooks: options.webhookHost,
          metrics: options.metricsHost,
          health: options.healthHost,
          flags: HOST_FLAGS,
          usualWebhookPort: usual.port,
        },
        // A token is not to cross a network in clear.
        metrics: { secured: true, ...(isLoopback(options.metricsHost) ? {} : { tls: keeper.current.server }) },
        noticeMs: 0,
        hasOneServer: true,
        people: {
          wanted: personaRoles(options.tenantsMayCreate),
          withheld: withheldRoles(options.tenantsMayCreate),
        },
        registry,
        clockSteps,
        expiry,
        identity: leaseIdentity('allot-up', directoryId(identity)),
      }),
    )
    operator = running
    closing.defer(() => running.stop())
    releaseLease = () => running.releaseLease()
    try {
      ports = await running.start(stop)
      usual.keep(ports.webhookPort)
    } catch (error) {
      if (!stop.aborted) {
        long.report()
        throw error
      }
    }
  }

  if (!stop.aborted) {
    await store.whenReserved()
    // In one go, so that a client which learns of either finds the other.
    door.open(started)
    long.over()
    writeAdminKubeconfig(kubeconfig, { ...adminAccess, caCertificate: keeper.current.authority.certificate })
    out(announcement(url, kubeconfig, inMemory ? 'in memory, gone when it stops' : directory.path, ports))
    logger.info({ url, directory: directory.path, inMemory, ...ports }, 'ready')
    await once(stop, 'abort')
  }
  logger.info({}, 'stopping')
  // While the API still accepts it: the next leader need not wait for the lease to expire.
  await Promise.race([releaseLease(), sleep(RELEASE_LEASE_MS, undefined, { ref: false })])
  door.close()
  await drain()
  return directory.path
}

function readSchemas() {
  return {
    definitions: readSchema('kubernetes-1.36-definitions'),
    resources: readSchema('kubernetes-1.36-resources'),
    openapiMessages: readSchema('openapi-v2-protobuf'),
    protobuf: readSchema('kubernetes-1.36-protobuf'),
  }
}

const HOST_FLAGS = { webhooks: '--webhook-host', metrics: '--metrics-host', health: '--health-host' }

/** Exactly three lines: what runs where, how to reach it, what to try. */
function announcement(url: string, kubeconfig: string, state: string, ports: OperatorPorts | undefined): string {
  const file = /^[\w./@%+=:,-]+$/.test(kubeconfig) ? kubeconfig : `'${kubeconfig.replaceAll("'", `'\\''`)}'`
  const operator =
    ports === undefined
      ? ''
      : `, webhooks on port ${ports.webhookPort}, /metrics on ${ports.metricsPort}, /readyz on ${ports.healthPort}`
  return `allot ${packageVersion()} is running: Kubernetes 1.36 API on ${url}, state ${state}${operator}
export KUBECONFIG=${file}
kubectl create namespace demo && kubectl -n demo create quota small --hard=pods=2 && kubectl -n demo describe quota
`
}
