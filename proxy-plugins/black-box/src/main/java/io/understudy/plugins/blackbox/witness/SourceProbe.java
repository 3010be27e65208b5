package io.understudy.plugins.blackbox.witness;

import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Probes how the primary waits for acknowledgements. Runs on the executor, one probe at a time. */
public final class SourceProbe implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(SourceProbe.class);

    private final DataSource primary;
    private final Consumer<SemiSyncSource> out;
    private volatile @Nullable SemiSyncSource last;
    private boolean advised;

    /** @param out called with each result */
    public SourceProbe(DataSource primary, Consumer<SemiSyncSource> out) {
        this.primary = primary;
        this.out = out;
    }

    @Override
    public void run() {
        try (ServerQueries server = ServerQueries.of(primary)) {
            SemiSyncSource source = SemiSyncSource.of(server);
            last = source;
            out.accept(source);
            // While nobody is registered yet, the number of replicas says nothing.
            if (!advised && source.enabled() && source.clients() > 0) {
                advised = true;
                WitnessAdvice.of(source, server.isMariaDb(), logInEngine(server)).stream()
                        .filter(WitnessAdvice.Note::warning)
                        .forEach(note -> log.warn("black-box: {}", note.text()));
            }
        } catch (SQLException | RuntimeException e) {
            log.debug("black-box: how the primary waits for acknowledgements is not known", e);
            last = null;
        }
    }

    public static boolean logInEngine(ServerQueries server) throws SQLException {
        String engine = server.variableOrNull("binlog_storage_engine");
        return engine != null && !engine.isEmpty();
    }

    /** Adds what the last probe found; without one, nothing. */
    public void addTo(Map<String, Object> view) {
        SemiSyncSource source = last;
        if (source != null) {
            view.put("semiSync", source.enabled());
            view.put("waitPoint", source.waitPoint());
            view.put("waitFor", source.waitFor());
            view.put("timeoutMillis", source.timeoutMillis());
            view.put("replicas", source.clients());
        }
    }
}
