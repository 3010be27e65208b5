package io.understudy.unplanned;

import io.understudy.config.UnderstudyConfig;
import io.understudy.lost.LostSource;
import io.understudy.remote.AdminClient;
import io.understudy.remote.OtherProxy;
import io.understudy.switchover.ProxyControl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A proxy before the same primary, which takes part.
 *
 * @param name the address of its admin endpoint
 */
record AskedProxy(String name, AdminClient admin, ProxyControl control, LostSource blackBox) {
    private static AskedProxy of(String name, AdminClient admin) {
        return new AskedProxy(name, admin, new ProxyControl(admin), new LostSource(admin, null));
    }

    /**
     * Returns the proxy of the configuration and its peers, each of which responds.
     *
     * @param without addresses of those that are left out
     * @throws IllegalArgumentException if one that is left out is none of them
     * @throws IOException if one does not; the message says what to do
     */
    static List<AskedProxy> all(UnderstudyConfig config, Set<String> without) throws IOException, InterruptedException {
        List<AskedProxy> all = new ArrayList<>();
        all.add(of(config.admin().address().toString(), AdminClient.of(config.admin())));
        OtherProxy.of(config).forEach(each -> all.add(of(each.name(), each.admin())));
        List<String> known = all.stream().map(AskedProxy::name).toList();
        for (String each : without) {
            if (!known.contains(each)) {
                throw new IllegalArgumentException("--without " + each + ": no such proxy; expected one of "
                        + String.join(", ", known) + ", as the file names them (admin.address, peers)");
            }
        }
        all.removeIf(each -> without.contains(each.name()));
        for (AskedProxy each : all) {
            try {
                each.view();
            } catch (IOException e) {
                throw new IOException(
                        e.getMessage() + ". Its black box may have what the standby lacks: start that proxy again if it"
                                + " keeps a log (plugins.black-box.directory), or repeat this with --without "
                                + each.name() + ", and what only it has counts as not known",
                        e);
            }
        }
        return all;
    }

    Map<String, Object> view() throws IOException, InterruptedException {
        return admin.view("primary");
    }
}
