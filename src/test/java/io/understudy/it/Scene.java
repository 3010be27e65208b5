package io.understudy.it;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Where a step of the contract plays: a driver, and the address of either the server or the proxy before it. */
record Scene(Driver driver, InetSocketAddress address, ServerUnderTest server, Transcript transcript) {

    /** What can be done with an open connection. */
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

    /** Connects only to see how that ends. */
    void attempt(String user, String password, String options) throws Exception {
        connected(user, password, options, (t, connection, statement) -> t.run(statement, "SELECT 1"));
    }
}
