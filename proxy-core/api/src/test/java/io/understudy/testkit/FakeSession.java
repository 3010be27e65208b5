package io.understudy.testkit;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionRefusal;
import io.understudy.plugin.SessionSettings;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A session with a MariaDB server and the server's settings; the test sets what it is about. */
public class FakeSession implements SessionContext, SessionSettings {
    private String user;
    private @Nullable String schema;
    private final String address;
    private final String version;
    private long id = 1;
    private long serverThreadId = 77;
    private boolean schemaInFlight;
    private boolean temporaryTables;
    private Map<String, String> attributes = Map.of();
    private @Nullable SessionRefusal refusal;

    public FakeSession(String user) {
        this(user, "shop", "127.0.0.1", "11.4.5-MariaDB");
    }

    public FakeSession(String user, @Nullable String schema, String address) {
        this(user, schema, address, "11.4.5-MariaDB");
    }

    protected FakeSession(String user, @Nullable String schema, String address, String version) {
        this.user = user;
        this.schema = schema;
        this.address = address;
        this.version = version;
    }

    /** Sets the client's connection attributes. */
    public void setAttributes(Map<String, String> sent) {
        attributes = sent;
    }

    /** Returns the first refusal, or null. */
    public @Nullable SessionRefusal refusal() {
        return refusal;
    }

    public void setId(long number) {
        id = number;
    }

    public void setServerThreadId(long id) {
        serverThreadId = id;
    }

    public void setUser(String name) {
        user = name;
    }

    public void setSchema(@Nullable String name) {
        schema = name;
    }

    public void setSchemaInFlight(boolean changes) {
        schemaInFlight = changes;
    }

    public void setTemporaryTables(boolean exist) {
        temporaryTables = exist;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String user() {
        return user;
    }

    @Override
    public @Nullable String schema() {
        return schema;
    }

    @Override
    public boolean schemaInFlight() {
        return schemaInFlight;
    }

    @Override
    public SocketAddress clientAddress() {
        return new InetSocketAddress(address, 4000);
    }

    @Override
    public ServerFlavor flavor() {
        return ServerFlavor.MARIADB;
    }

    @Override
    public String serverVersion() {
        return version;
    }

    @Override
    public long serverThreadId() {
        return serverThreadId;
    }

    @Override
    public long capabilities() {
        return 0;
    }

    @Override
    public boolean isTls() {
        return false;
    }

    @Override
    public @Nullable String certificateSubject() {
        return null;
    }

    @Override
    public Map<String, String> attributes() {
        return attributes;
    }

    @Override
    public void refuse(SessionRefusal wanted) {
        refusal = refusal == null ? wanted : refusal;
    }

    @Override
    public SessionSettings settings() {
        return this;
    }

    @Override
    public boolean known() {
        return true;
    }

    @Override
    public int loginCollation() {
        return 45;
    }

    @Override
    public @Nullable String characterSet() {
        return null;
    }

    @Override
    public @Nullable String timeZone() {
        return null;
    }

    @Override
    public @Nullable String sqlMode() {
        return null;
    }

    @Override
    public int sqlModes() {
        return 0;
    }

    @Override
    public boolean temporaryTables() {
        return temporaryTables;
    }

    @Override
    public boolean lockedTables() {
        return false;
    }
}
