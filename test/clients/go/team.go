package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var teamVersion = schema.GroupVersion{Group: "witness.example.com", Version: "v1"}

// Team is the custom resource that the controller looks after.
type Team struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              TeamSpec   `json:"spec"`
	Status            TeamStatus `json:"status,omitempty"`
}

// TeamSpec names the members, and how many pods they may have.
type TeamSpec struct {
	Members []string `json:"members,omitempty"`
	Pods    int64    `json:"pods"`
}

// TeamStatus tells what was made for the team.
type TeamStatus struct {
	Members            int                `json:"members"`
	Rosters            []string           `json:"rosters,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// TeamList is what a list of teams is read into.
type TeamList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Team `json:"items"`
}

// DeepCopyObject copies what the cache holds before it is changed.
func (team *Team) DeepCopyObject() runtime.Object {
	copied := *team
	copied.ObjectMeta = *team.ObjectMeta.DeepCopy()
	copied.Spec.Members = append([]string(nil), team.Spec.Members...)
	copied.Status.Rosters = append([]string(nil), team.Status.Rosters...)
	copied.Status.Conditions = append([]metav1.Condition(nil), team.Status.Conditions...)
	return &copied
}

// DeepCopyObject copies a list.
func (list *TeamList) DeepCopyObject() runtime.Object {
	copied := *list
	copied.Items = make([]Team, len(list.Items))
	for index := range list.Items {
		copied.Items[index] = *list.Items[index].DeepCopyObject().(*Team)
	}
	return &copied
}

func addTeams(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(teamVersion, &Team{}, &TeamList{})
	metav1.AddToGroupVersion(scheme, teamVersion)
}
