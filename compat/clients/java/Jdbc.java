import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HexFormat;

/** The script of the client matrix for JDBC: Jdbc PROFILE HOST PORT USER PASSWORD TLS */
public final class Jdbc {
    public static void main(String[] a) throws Exception {
        boolean tls = a[5].equals("on");
        String url =
                switch (a[0]) {
                    case "mysql5" -> "jdbc:mysql://%s:%s/test?useServerPrepStmts=true&rewriteBatchedStatements=true&"
                            + (tls
                                    ? "useSSL=true&verifyServerCertificate=false&enabledTLSProtocols=TLSv1.2"
                                    : "useSSL=false");
                    case "mysql8", "mysql9" -> "jdbc:mysql://%s:%s/test?useServerPrepStmts=true"
                            + "&rewriteBatchedStatements=true&allowPublicKeyRetrieval=true&sslMode="
                            + (tls ? "REQUIRED" : "DISABLED");
                    case "mariadb2" -> "jdbc:mariadb://%s:%s/test?useServerPrepStmts=true&allowPublicKeyRetrieval=true&"
                            + (tls ? "useSSL=true&trustServerCertificate=true" : "useSSL=false");
                    default -> "jdbc:mariadb://%s:%s/test?useServerPrepStmts=true&allowPublicKeyRetrieval=true&"
                            + "maxAllowedPacket=67108864&sslMode=" + (tls ? "trust" : "disable");
                };
        Connection db;
        try {
            db = DriverManager.getConnection(url.formatted(a[1], a[2]), a[3], a[4]);
        } catch (SQLException e) {
            System.out.println("connect refused: " + e.getErrorCode() + " " + e.getSQLState());
            return;
        }
        System.out.println("connect ok");
        try (db; Statement s = db.createStatement()) {
            System.out.println("query " + row(s, "SELECT 1, NULL, 'héllo', 2.50"));
            try (PreparedStatement p = db.prepareStatement("SELECT ? * 2")) {
                for (int n : new int[] {20, 21}) {
                    p.setInt(1, n);
                    try (ResultSet r = p.executeQuery()) {
                        r.next();
                        System.out.println("prepare " + r.getInt(1));
                    }
                }
            }
            s.execute("CREATE TEMPORARY TABLE m (a INT, b LONGBLOB)");
            try (PreparedStatement p = db.prepareStatement("INSERT INTO m VALUES (?, ?)")) {
                for (int i = 0; i < 100; i++) {
                    p.setInt(1, i);
                    p.setString(2, "x");
                    p.addBatch();
                }
                System.out.println("batch " + p.executeBatch().length);
                byte[] big = new byte[256 * 20480];
                for (int i = 0; i < big.length; i++) {
                    big[i] = (byte) i;
                }
                System.out.println("sum " + row(s, "SELECT COUNT(*), SUM(a) FROM m"));
                db.setAutoCommit(false);
                p.setInt(1, 1000);
                p.setBytes(2, big);
                p.executeUpdate();
                try (ResultSet r = s.executeQuery("SELECT b FROM m WHERE a = 1000")) {
                    r.next();
                    byte[] md5 = MessageDigest.getInstance("MD5").digest(r.getBytes(1));
                    System.out.println("big " + HexFormat.of().formatHex(md5) + Arrays.equals(r.getBytes(1), big));
                }
                db.rollback();
            }
            System.out.println("rollback " + row(s, "SELECT COUNT(*) FROM m"));
            for (String sql : new String[] {"SELEC", "SELECT * FROM nosuch"}) {
                try {
                    s.execute(sql);
                    System.out.println("no error");
                } catch (SQLException e) {
                    String text = e.getMessage().replaceFirst("^\\(conn=\\d+\\) ", "");
                    System.out.println("error " + e.getErrorCode() + " " + e.getSQLState() + " " + text);
                }
            }
            System.out.println("after " + row(s, "SELECT 'still here'"));
        }
        System.out.println("closed");
    }

    private static String row(Statement s, String sql) throws SQLException {
        try (ResultSet r = s.executeQuery(sql)) {
            r.next();
            StringBuilder text = new StringBuilder();
            for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) {
                text.append(r.getString(i)).append(' ');
            }
            return text.toString();
        }
    }
}
