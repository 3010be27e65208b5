package io.understudy.connection.auth;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.client.socket.Writer;
import org.mariadb.jdbc.client.util.MutableByte;
import org.mariadb.jdbc.plugin.authentication.standard.Ed25519PasswordPlugin;

/**
 * MariaDB's {@code ed25519}: signs the scramble with a key made from a password of any length. The Java runtime makes
 * keys from 32 bytes only, so this uses MariaDB Connector/J's implementation and captures what it writes.
 */
final class Ed25519Password implements AuthMethod {
    static final String NAME = "client_ed25519";
    private static final int SCRAMBLE = 32;

    private final AuthContext context;

    Ed25519Password(AuthContext context) {
        this.context = context;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    @SuppressWarnings("NullAway") // the plugin reads only after the flush at which it is stopped
    public byte[] begin() throws AuthException {
        byte[] scramble = context.scramble(SCRAMBLE);
        if (context.emptyPassword()) {
            return new byte[0];
        }
        String password = new String(context.passwordBytes(), StandardCharsets.UTF_8);
        Capture capture = new Capture();
        try {
            new Ed25519PasswordPlugin(password, scramble).process(capture, null, null, false);
        } catch (Written done) {
            byte[] response = capture.response;
            if (response != null) {
                return response;
            }
        } catch (SQLException | IOException e) {
            throw new AuthException("the response to " + NAME + " cannot be computed: " + e.getMessage(), e);
        }
        throw new AuthException("the driver's " + NAME + " gave no response; give the account mysql_native_password");
    }

    /** Stops the plugin after its signature was written. */
    private static final class Written extends IOException {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    private static final class Capture extends Writer {
        private byte @Nullable [] response;

        Capture() {
            super(OutputStream.nullOutputStream(), 0, null, new MutableByte(), new MutableByte());
        }

        @Override
        public void writeBytes(byte[] bytes) {
            response = bytes;
        }

        @Override
        public void flush() throws Written {
            throw new Written();
        }
    }
}
