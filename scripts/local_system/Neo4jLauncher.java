import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.BoltConnectorInternalSettings;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.io.ByteUnit;

/** Neo4j Community as one process: arguments are its data folder and its Bolt port. */
public final class Neo4jLauncher {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        SocketAddress address = new SocketAddress("127.0.0.1", Integer.parseInt(arguments[1]));
        Path ready = folder.resolve("ready");
        Files.deleteIfExists(ready);
        var service = new DatabaseManagementServiceBuilder(folder)
            .setConfig(BoltConnector.enabled, true)
            .setConfig(BoltConnector.listen_address, address)
            .setConfig(BoltConnector.advertised_address, address)
            .setConfig(BoltConnector.thread_pool_max_size, 64)
            .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(64))
            .setConfig(GraphDatabaseSettings.keep_logical_logs, "keep_none")
            .setConfig(BoltConnectorInternalSettings.thread_pool_shutdown_wait_time, Duration.ofSeconds(1))
            .build();
        Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        if (!service.database("neo4j").isAvailable(Duration.ofMinutes(2).toMillis())) {
            throw new IllegalStateException("the database did not become available");
        }
        Files.writeString(ready, arguments[1]);
        Thread.currentThread().join();
    }
}
