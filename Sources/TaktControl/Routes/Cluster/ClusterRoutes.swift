import Hummingbird
import TaktAPI
import TaktCore

struct ClusterRoutes {
  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/cluster",
      RouteAbout(
        "cluster", "The cluster, as this machine sees it",
        .object(API.Cluster.self, "The cluster, or that the daemon has none")), show)
  }

  @Sendable private func show(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    .json(API.Cluster(await ports.query { core, now in core.clusterView(at: now) }))
  }
}
