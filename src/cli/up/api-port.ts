import type { ControlPlane } from '../../apiserver/control-plane.ts'
import type { Operator } from '../../operator/operator.ts'
import { CertificateExpiry } from '../../runtime/certificate/expiry.ts'
import { type Identity, openIdentity } from '../../runtime/certificate/identity.ts'
import { IdentityKeeper } from '../../runtime/certificate/identity-keeper.ts'
import { type AdminAccess, writeAdminKubeconfig } from '../../runtime/files/admin-kubeconfig.ts'
import type { DataDirectory } from '../../runtime/files/data-directory.ts'
import type { HttpServer } from '../../runtime/http/server.ts'
import { isLoopback, localUrl, serverNames } from '../../runtime/http/listen-address.ts'
import { listen } from '../../runtime/http/listen.ts'
import { machineNames } from '../machine-names.ts'
import { ReadinessGate } from './readiness-gate.ts'
import type { UpContext } from './context.ts'

/** As Kubernetes: the largest body that is read. */
const MAX_BODY_BYTES = 3 * 1024 * 1024
/** How long requests may go on after the signal to stop; shorter than the ten seconds after which Docker kills. */
const DRAIN_MS = 8_000

/** The places of the files that the port reads and writes. */
export interface ApiFiles {
  readonly directory: DataDirectory
  readonly kubeconfig: string
}

/** The port of the API, from the moment it is taken: its gate, and its certificate, which is renewed in time. */
export class ApiPort {
  readonly gate: ReadinessGate
  readonly url: string
  /** The identity of the start. */
  readonly first: Identity
  readonly expiry: CertificateExpiry
  readonly #server: HttpServer
  readonly #keeper: IdentityKeeper
  #drained: Promise<void> | undefined
  #plane: Pick<ControlPlane, 'useCaCertificate'> | undefined
  #operator: Pick<Operator, 'useMetricsCertificate'> | undefined

  private constructor(
    { options: { host }, logger, registry, clockSteps, closing }: UpContext,
    files: ApiFiles,
    names: readonly string[],
    first: Identity,
    gate: ReadinessGate,
    server: HttpServer,
  ) {
    this.gate = gate
    this.first = first
    this.#server = server
    closing.defer(() => this.close())
    this.url = localUrl(host, server.port)
    const { directory, kubeconfig } = files
    this.#keeper = new IdentityKeeper(
      {
        directory,
        names,
        now: () => Date.now(),
        clockSteps,
        onChange: (renewed, before) => {
          if (!this.#present(renewed, before)) return
          const { authority } = renewed
          writeAdminKubeconfig(kubeconfig, { ...this.access, caCertificate: authority.certificate })
          logger.warn({ kubeconfig }, 'the authority of the API was renewed: clients need the new kubeconfig')
        },
        logger,
      },
      first,
    )
    closing.defer(() => this.#keeper.stop())
    this.expiry = new CertificateExpiry({ registry, logger, now: Date.now, clockSteps })
    closing.defer(() => this.expiry.stop())
    this.expiry.follow('api', () => this.current.server.certificate)
    this.expiry.follow('api-authority', () => this.current.authority.certificate)
    if (!isLoopback(host)) logger.warn({ host, port: server.port }, 'the API is reachable from outside this machine')
  }

  /** Takes the port; the gate turns requests away. Throws StartupError. */
  static async open(context: UpContext, files: ApiFiles): Promise<ApiPort> {
    const { options, logger } = context
    const { host, port, metricsHost } = options
    const names = [...new Set([host, metricsHost].flatMap((one) => serverNames(one, machineNames())))]
    const identity = await openIdentity(files.directory, names, Date.now())
    const gate = new ReadinessGate(logger)
    const server = await listen({
      host,
      port,
      tls: {
        key: identity.server.key,
        cert: identity.server.certificate,
        clientCa: identity.authority.certificate,
      },
      maxBodyBytes: MAX_BODY_BYTES,
      authenticates: true,
      handle: (exchange) => gate.handle(exchange),
      knows: (credential) => gate.knows(credential),
      onBadConnection: (error) => logger.debug({ error }, 'a connection was refused'),
    })
    return new ApiPort(context, files, names, identity, gate, server)
  }

  /** The identity that is presented now. */
  get current(): Identity {
    return this.#keeper.current
  }

  /** The administrator's access, with the authority of the start. */
  get access(): AdminAccess {
    const { authority, adminToken } = this.first
    return { url: this.url, caCertificate: authority.certificate, token: adminToken }
  }

  /** From now on the control plane publishes the authority of this port. */
  publishAuthority(plane: Pick<ControlPlane, 'useCaCertificate'>): void {
    this.#plane = plane
    // The authority may have been renewed meanwhile.
    plane.useCaCertificate(this.current.authority.certificate)
  }

  /** From now on the operator gets renewed certificates for its metrics. */
  renewMetricsOf(operator: Pick<Operator, 'useMetricsCertificate'>): void {
    this.#operator = operator
  }

  /** Turns new requests away, and resolves when those under way have their answers. */
  close(): Promise<void> {
    this.gate.close()
    return (this.#drained ??= this.#server.drain(DRAIN_MS))
  }

  /** Presents another identity. Returns whether its authority is another one. */
  #present({ server, authority }: Identity, before: Identity): boolean {
    const ca = authority.certificate
    this.#server.useCertificate({ key: server.key, cert: server.certificate, clientCa: ca })
    this.#operator?.useMetricsCertificate(server)
    if (ca === before.authority.certificate) return false
    this.#plane?.useCaCertificate(ca)
    return true
  }
}
