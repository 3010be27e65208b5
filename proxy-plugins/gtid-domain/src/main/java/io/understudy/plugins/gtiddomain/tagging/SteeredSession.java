package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import java.util.ArrayList;
import java.util.List;

/** A session with levers and a domain. */
public final class SteeredSession implements SessionObserver {
    private final LeverObserver levers;
    private final SessionObserver domain;

    public SteeredSession(LeverObserver levers, SessionObserver domain) {
        this.levers = levers;
        this.domain = domain;
    }

    @Override
    public int interests() {
        return levers.interests() | domain.interests();
    }

    @Override
    public List<SessionVariable> variables() {
        List<SessionVariable> all = new ArrayList<>(domain.variables());
        all.addAll(levers.variables());
        return all;
    }

    @Override
    public void chooseVariables(CommandView command, boolean atBoundary) {
        domain.chooseVariables(command, atBoundary);
        levers.chooseVariables(command, atBoundary);
    }

    @Override
    public void onCommand(CommandView command) {
        domain.onCommand(command);
        levers.onCommand(command);
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        domain.onResponse(command, response);
    }

    @Override
    public void onReset() {
        domain.onReset();
    }

    @Override
    public void onMoved() {
        domain.onMoved();
    }

    @Override
    public void onClose(String reason) {
        domain.onClose(reason);
    }
}
