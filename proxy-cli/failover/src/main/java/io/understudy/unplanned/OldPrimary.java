package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.servers.Dialect;
import io.understudy.switchover.Node;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/** The primary that is to be replaced, as seen from here. */
final class OldPrimary {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private OldPrimary() {}

    /**
     * Returns the sign of life that a server gives, or why that is not known; empty if its machine refuses connections
     * at its address. A port that accepts them and says nothing is a sign: a frozen server may go on.
     */
    static String sign(Address address) {
        if (address.isUnix()) {
            return Files.exists(Path.of(address.path())) ? "its socket file is there" : "";
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.host(), address.port()), (int) PATIENCE.toMillis());
            socket.setSoTimeout((int) PATIENCE.toMillis());
            try {
                return socket.getInputStream().read() < 0
                        ? "its port accepts connections, and closes them"
                        : "it responds";
            } catch (SocketTimeoutException e) {
                return "its port accepts connections, and nothing comes: it may be frozen, and go on later";
            } catch (IOException e) {
                return "its port accepts connections, and breaks them (" + e.getMessage() + ")";
            }
        } catch (IOException e) {
            return sign(e);
        }
    }

    /** A refusal comes from the machine itself. All else may be the way to it: others may still reach it. */
    static String sign(IOException failed) {
        boolean refused = failed instanceof ConnectException
                && !String.valueOf(failed.getMessage()).contains("timed out");
        return refused ? "" : "it cannot be reached from here, whether it lives or not (" + failed + ")";
    }

    /** Makes it read-only if it can. Returns what was done, or why not. */
    static String fence(Node primary, Dialect dialect) {
        try {
            primary.executeWithin("SET SESSION lock_wait_timeout=2", PATIENCE);
            primary.executeWithin(dialect.readOnly(), PATIENCE);
            return "the old primary is read-only now (" + dialect.readOnly() + ")";
        } catch (SQLException e) {
            return "the old primary could NOT be made read-only: keep clients away from it (power, network, STOP), as"
                    + " what is written there from now on is lost (" + e.getMessage() + ")";
        }
    }
}
