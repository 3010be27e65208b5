package io.understudy.it;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The environment of a contract step: a driver, and the address of either the server or the proxy in front of it. */
record Scene(Driver driver, InetSocketAddress address, ServerUnderTest server, Transcript transcript) {

    /** Uses an open connection. */
    interface Work {
        void on(Transcript t, Connection connection, Statement statement) throws Exception;
    }

    void connected(String options, Work work) throws Exception {
        connected(server.user(), server.password(), options, work);
    }

    void connected(String user, String password, String options, Work work) throws Exception {
        transcript.note("== " + driver + " " + options);
        try (Connection connection = driver.connect(address, user, password, options);
                Statement statement = connection.createStatement()) {
            work.on(transcript, connection, statement);
        } catch (SQLException e) {
            transcript.error(e);
        }
    }

    /** Attempts to connect and records the outcome. */
    void attempt(String user, String password, String options) throws Exception {
        connected(user, password, options, (t, connection, statement) -> t.run(statement, "SELECT 1"));
    }
}
