package io.understudy.lost;

import io.understudy.config.Address;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.remote.AdminClient;
import io.understudy.server.QueryPool;
import io.understudy.servers.ReportedPosition;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Queries a running proxy's black box, about the server that the proxy chooses or about a named one. */
public final class LostSource {
    private final AdminClient admin;
    private final @Nullable UnderstudyConfig config;

    /** @param config holds the account for a server given by its address; null if there is none */
    public LostSource(AdminClient admin, @Nullable UnderstudyConfig config) {
        this.admin = admin;
        this.config = config;
    }

    /**
     * Returns what the old primary may still have.
     *
     * @param on a standby's name, {@code primary} or {@code host:port}; null to let the proxy choose
     */
    public Map<String, Object> lost(@Nullable String on) throws IOException, InterruptedException {
        return on == null ? admin.view("lost") : admin.act("lost" + query(on));
    }

    /**
     * Has the black box count what the server's position alone implies: it was compared, or built anew. Returns what is
     * missing there then.
     */
    public Map<String, Object> compared(String on) throws IOException, InterruptedException {
        return admin.act("lost/compared" + query(on));
    }

    /** Starts a rescue file. */
    public Map<String, Object> rescue(@Nullable String on) throws IOException, InterruptedException {
        return admin.act("lost/rescue" + (on == null ? "" : query(on)));
    }

    /** As {@link #lost}, for a server that the caller has asked itself. */
    public Map<String, Object> lost(String on, ReportedPosition position) throws IOException, InterruptedException {
        return admin.act("lost" + query(on, position));
    }

    /** As {@link #lost}, and the proxy remembers nothing of it. */
    public Map<String, Object> look(String on, ReportedPosition position) throws IOException, InterruptedException {
        return admin.act("lost/look" + query(on, position));
    }

    /** As {@link #rescue}, for a server that the caller has asked itself. */
    public Map<String, Object> rescue(String on, ReportedPosition position) throws IOException, InterruptedException {
        return admin.act("lost/rescue" + query(on, position));
    }

    /** Returns the next part of the rescue file; empty at its end. */
    public byte[] part(Map<String, Object> rescue) throws IOException, InterruptedException {
        return admin.bytes("lost/rescue/" + rescue.get("rescue"));
    }

    private String query(String on) throws IOException {
        return on.contains(":") || on.contains("/") ? query(on, position(on)) : query(Map.of("on", on));
    }

    private static String query(String on, ReportedPosition reported) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("on", on);
        String received = reported.received();
        parameters.put("replicated", reported.replicated());
        parameters.put("logged", reported.logged());
        parameters.put("received", received == null ? "?" : received);
        parameters.put("readOnly", Boolean.toString(reported.readOnly()));
        parameters.put("server", reported.server());
        return query(parameters);
    }

    private static String query(Map<String, String> parameters) {
        StringBuilder query = new StringBuilder();
        parameters.forEach((name, value) -> query.append(query.length() == 0 ? '?' : '&')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return query.toString();
    }

    private ReportedPosition position(String on) throws IOException {
        PrimaryConfig primary = config == null ? null : config.primary();
        MonitorConfig monitor = primary == null ? null : primary.monitor();
        if (primary == null || monitor == null) {
            throw new IOException(
                    "to ask " + on + " an account is needed: give -c FILE with primary.monitor, or name a standby");
        }
        StandbyConfig server = new StandbyConfig(
                "survivor",
                Address.parse(on),
                primary.tls(),
                List.of(),
                primary.connectTimeout(),
                monitor.user(),
                monitor.password());
        try (QueryPool queries = QueryPool.to(server)) {
            return ReportedPosition.of(queries.dataSource());
        } catch (SQLException e) {
            throw new IOException(on + " cannot be asked as " + monitor.user() + ": " + e.getMessage(), e);
        }
    }
}
