package io.understudy.rules;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A session whose user, schema and address the test sets. */
final class FakeSession implements SessionContext {
    String user;

    @Nullable
    String schema;

    private final String address;

    FakeSession(String user, @Nullable String schema, String address) {
        this.user = user;
        this.schema = schema;
        this.address = address;
    }

    @Override
    public long id() {
        return 1;
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
    public SocketAddress clientAddress() {
        return new InetSocketAddress(address, 4000);
    }

    @Override
    public ServerFlavor flavor() {
        return ServerFlavor.MARIADB;
    }

    @Override
    public String serverVersion() {
        return "11.4.5-MariaDB";
    }

    @Override
    public long serverThreadId() {
        return 7;
    }

    @Override
    public long capabilities() {
        return 0;
    }

    @Override
    public SessionSettings settings() {
        throw new IllegalStateException("rules do not look at settings");
    }
}
