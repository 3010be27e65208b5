package io.understudy.it.legs;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the GTIDs of all sessions' commits. */
public final class GtidProbe implements ProxyPlugin<GtidProbe.Config> {
    public record Config() {}

    /** With those that the server has left out, if they were commits. */
    public final List<String> withOmitted = new CopyOnWriteArrayList<>();

    final List<String> gtids = new CopyOnWriteArrayList<>();

    @Override
    public String id() {
        return "probe";
    }

    @Override
    public Class<Config> configType() {
        return Config.class;
    }

    @Override
    public void start(PluginContext context, Config config) {}

    @Override
    public void reload(Config config) {}

    @Override
    public void stop() {}

    @Override
    public int possibleInterests() {
        return Interest.GTIDS;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new SessionObserver() {
            @Override
            public int interests() {
                return Interest.GTIDS | Interest.RESPONSES;
            }

            @Override
            public void onResponse(CommandView command, ResponseView response) {
                String gtid = response.gtid();
                if (gtid != null) {
                    gtids.add(gtid);
                }
                String settled = gtid == null ? response.omittedGtid() : gtid;
                if (settled != null) {
                    withOmitted.add(settled);
                }
            }
        };
    }
}
