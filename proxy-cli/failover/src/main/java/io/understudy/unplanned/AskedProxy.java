package io.understudy.unplanned;

import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.remote.AdminClient;
import io.understudy.remote.OtherProxy;
import io.understudy.switchover.ProxyControl;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A proxy before the same primary, which takes part.
 *
 * @param name the address of its admin endpoint
 */
record AskedProxy(String name, AdminClient admin) {
    /**
     * Returns the proxy of the configuration and its peers, each of which responds. Without the proxy if that is down
     * and its directory is given.
     *
     * @throws IllegalArgumentException if one that is left out is none of them
     * @throws IOException if one does not; the message says what to do
     */
    static List<AskedProxy> all(UnderstudyConfig config, FailoverOptions options)
            throws IOException, InterruptedException {
        List<AskedProxy> all = new ArrayList<>();
        String own = config.admin().address().toString();
        all.add(new AskedProxy(own, AdminClient.of(config.admin())));
        OtherProxy.of(config).forEach(each -> all.add(new AskedProxy(each.name(), each.admin())));
        List<String> known = all.stream().map(AskedProxy::name).toList();
        List<String> standbys =
                config.standbys().stream().map(StandbyConfig::name).toList();
        for (String each : options.without()) {
            if (!known.contains(each) && !standbys.contains(each)) {
                throw new IllegalArgumentException("--without " + each + ": no such proxy or standby; expected one of "
                        + String.join(", ", known) + ", as the file names them (admin.address, peers), or of "
                        + String.join(", ", standbys));
            }
        }
        all.removeIf(each -> options.without().contains(each.name()));
        for (AskedProxy each : List.copyOf(all)) {
            try {
                each.view();
            } catch (IOException e) {
                if (hasShownCertificate(e)) {
                    throw new IOException(
                            e.getMessage()
                                    + ". It lives: if it were left out, its clients would stay at the old primary. If"
                                    + " it is down and something else answers there, or this cannot wait: --without "
                                    + each.name() + ", and what only its black box has is not known",
                            e);
                }
                if (options.directory() != null && each.name().equals(own)) {
                    all.remove(each);
                    continue;
                }
                throw new IOException(
                        e.getMessage() + ". Its black box may have what the standby lacks. If it keeps a log"
                                + " (plugins.black-box.directory), start that proxy again, or repeat this with its"
                                + " own file and --directory DIR. Else repeat it with --without " + each.name()
                                + ", and what only it has counts as not known",
                        e);
            }
        }
        return all;
    }

    /** One that is down has none: it is only not trusted. */
    private static boolean hasShownCertificate(IOException failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a proxy knows which server is the primary; one of an earlier version does not say. */
    static boolean knows(Map<String, Object> view) {
        return !Boolean.FALSE.equals(view.get("known"));
    }

    ProxyControl control() {
        return new ProxyControl(admin);
    }

    Map<String, Object> view() throws IOException, InterruptedException {
        return admin.view("primary");
    }
}
