package io.understudy.jmh;

import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A primary and a standby without connections: the primary has no tables, and on the standby every name is one. */
final class NoServers {
    private NoServers() {}

    static final class ThePrimary implements Primary {
        @Override
        public DataSource dataSource() {
            return database("");
        }

        @Override
        public ServerFlavor flavor() {
            return ServerFlavor.MARIADB;
        }

        @Override
        public ServerConnector connector() {
            return NoServers::never;
        }

        @Override
        public ServerConnector separateConnector() {
            return NoServers::never;
        }

        @Override
        public AutoCloseable onChange(Runnable listener) {
            return () -> {};
        }

        @Override
        public AutoCloseable onReachable(Runnable listener) {
            return () -> {};
        }
    }

    /** A standby that seems fit for mirroring, so that statements are chosen and copied. */
    static final class TheStandby implements Standby {
        @Override
        public String name() {
            return "standby";
        }

        @Override
        public DataSource dataSource() {
            return database("BASE TABLE");
        }

        @Override
        public StandbyState state() {
            return new StandbyState(true, true, 0.0, false, 1, null);
        }

        @Override
        public ServerConnector connector() {
            return NoServers::never;
        }
    }

    private static CompletionStage<ServerConnection> never() {
        return new CompletableFuture<>();
    }

    /** Returns a database in which every query has the given value in its one row, or no row if that is empty. */
    private static DataSource database(String value) {
        return fake(DataSource.class, (method, call) -> method.equals("getConnection") ? connection(value) : null);
    }

    private static Connection connection(String value) {
        return fake(
                Connection.class,
                (method, call) -> method.equals("prepareStatement")
                        ? fake(PreparedStatement.class, results(value))
                        : method.equals("createStatement") ? fake(Statement.class, results(value)) : null);
    }

    private static Result results(String value) {
        return (method, call) -> {
            if (!method.equals("executeQuery")) {
                return null;
            }
            AtomicInteger rows = new AtomicInteger(value.isEmpty() ? 0 : 1);
            return fake(ResultSet.class, (getter, number) -> switch (getter) {
                case "next" -> rows.getAndDecrement() > 0;
                case "getString" -> value;
                default -> null;
            });
        };
    }

    private interface Result {
        @Nullable
        Object of(String method, Object @Nullable [] arguments) throws SQLException;
    }

    private static <T> T fake(Class<T> type, Result result) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object found = result.of(method.getName(), arguments);
                    Class<?> returned = method.getReturnType();
                    return found != null || !returned.isPrimitive() || returned == void.class
                            ? found
                            : returned == boolean.class ? (Object) false : returned == long.class ? (Object) 0L : 0;
                }));
    }
}
