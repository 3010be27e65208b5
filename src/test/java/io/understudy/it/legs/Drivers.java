package io.understudy.it.legs;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Opens connections with both vendors' drivers. */
final class Drivers {
    static final String USER = "app";
    static final String PASSWORD = "secret";

    private Drivers() {}

    /** @param options URL parameters, such as {@code sslMode=trust&useCompression=true} */
    static Connection mariaDb(int port, String options) throws SQLException {
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + port + "/?" + options, USER, PASSWORD);
    }

    static Connection mysql(int port, String options) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mysql://127.0.0.1:" + port + "/?characterEncoding=utf8&" + options, USER, PASSWORD);
    }

    static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(rows.getMetaData().getColumnCount());
        }
    }

    /** Returns the TLS cipher of the server's leg; empty without TLS. */
    static String serverCipher(Connection connection) throws SQLException {
        return query(connection, "SHOW SESSION STATUS LIKE 'Ssl_cipher'");
    }
}
